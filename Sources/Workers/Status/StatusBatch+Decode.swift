import Domain
import Sodium
import Storage
import Wire

/// Decodes the messages of a batch, and puts unreadable ones aside.
extension StatusBatch {
    /// Reads a message about a device; one that is not for this worker, or can't be read, is kept as a dead
    /// letter, and refused if its sender can be answered.
    mutating func decode(_ message: Inbound, at now: Instant) {
        switch topics.parse(message.topic) {
        case .report(let did): decodeReport(message, did, at: now)
        case .presence(let did):
            decode(message, did) { bytes throws(WireError) in
                .presence(try PresenceCodec.decode(device: bytes))
            }
        case .gatePresence(let did):
            decode(message, did) { bytes throws(WireError) in
                .presence(try PresenceCodec.decode(gate: bytes))
            }
        case .info(let did):
            decode(message, did, isSecret: true) { bytes throws(WireError) in
                .info(try RegistrationCodec.decode(info: bytes))
            }
        case .register(let key, let mac): decodeRegistration(message, key, mac)
        case .status(let uid, let did):
            // Only retained messages matter; the others are the worker's own, delivered back.
            if message.isRetained { add(.kept(uid), of: did) }
        case .workerState:
            guard let state = SystemCodec.decode(workerState: message.payload) else { return }
            items.append(Item(input: .mark(state.ts), device: -1))
        case .malformed(let reason): deadLetter(message, .topic, reason, isSecret: true)
        default:
            deadLetter(message, .topic, "the topic is not for this worker", isSecret: true)
        }
    }

    private mutating func decodeReport(_ message: Inbound, _ did: DeviceID, at now: Instant) {
        do {
            let report = try ReportCodec.decode(message.payload)
            let key = key(of: report, did, message.payload, at: now)
            add(.report(report, key: key), of: did, message)
        } catch {
            refuse(message, did, error)
        }
    }

    private mutating func decode(
        _ message: Inbound,
        _ did: DeviceID,
        isSecret: Bool = false,
        _ body: (ArraySlice<UInt8>) throws(WireError) -> StatusInput
    ) {
        do {
            add(try body(message.payload), of: did, message)
        } catch {
            refuse(message, did, error, isSecret: isSecret)
        }
    }

    private mutating func decodeRegistration(
        _ message: Inbound,
        _ key: ProductKey,
        _ mac: MAC
    ) {
        do {
            let request = try RegistrationCodec.decode(message.payload, productKey: key, mac: mac)
            registrations.append(
                (request, Sodium.sha256(message.payload), message.sourceAddress)
            )
        } catch {
            deadLetter(message, .malformed, error.reason, isSecret: true)
            effects.count(error.rejection)
            guard let id = error.id else { return }
            effects.publish(
                OutboundMessage(
                    topics.registered(key, mac),
                    AnswerCodec.refusal(id, error.rejection)
                )
            )
        }
    }

    /// Returns the place of the key under which a report takes effect once: its id, or a hash of its content.
    ///
    /// It is nil if each delivery counts, and if its time shows a repeat (`Repeats`).
    private mutating func key(
        of report: Report,
        _ did: DeviceID,
        _ payload: ArraySlice<UInt8>,
        at now: Instant
    ) -> Int? {
        if let id = report.id { return place(of: InboxKey(did: did, id: id.text)) }
        guard report.ts != nil, Repeats.time(of: report, at: now) == nil else { return nil }
        let digest = Sodium.base64URL(Array(Sodium.sha256(payload).prefix(18)))
        return place(of: InboxKey(did: did, id: "#" + digest))
    }

    // MARK: Bad messages

    /// Stores a bad message for the operator; only the shape of one that may hold a secret.
    mutating func deadLetter(
        _ message: Inbound,
        _ kind: DeadLetter.Draft.Kind,
        _ reason: String,
        isSecret: Bool = false
    ) {
        effects.deadLetter(
            kind,
            reason,
            topic: message.topicText,
            payload: isSecret
                ? Payload.shape(of: message.payload)
                : Array(message.payload.prefix(Payload.bytesMax)),
            isShapeOnly: isSecret
        )
    }

    private mutating func refuse(
        _ message: Inbound,
        _ did: DeviceID,
        _ error: WireError,
        isSecret: Bool = false
    ) {
        deadLetter(message, .malformed, error.reason, isSecret: isSecret)
        effects.count(error.rejection)
        guard let id = error.id else { return }
        effects.publish(
            OutboundMessage(topics.response(did), AnswerCodec.refusal(id, error.rejection))
        )
    }
}
