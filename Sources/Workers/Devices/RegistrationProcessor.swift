import Domain
import Sodium
import Wire

/// Consecutive registrations of a batch, which are processed one by one before the messages that follow them.
struct RegistrationProcessor {
    private var registrations: [DeviceRegistration] = []
    private let quotas: QuotaFront

    init(quotas: QuotaFront) { self.quotas = quotas }

    /// Reads a registration.
    ///
    /// An unreadable message becomes a dead letter, and is refused if it has an id.
    mutating func read(_ message: Inbound, product key: ProductKey, mac: MAC, in work: inout UnitOfWork) {
        let trace = message.trace ?? .make()
        do {
            registrations.append(
                DeviceRegistration(
                    request: try RegistrationCodec.decode(message.payload, productKey: key, mac: mac),
                    content: Sodium.sha256(message.payload),
                    source: message.sourceAddress,
                    topic: message.topicText,
                    trace: trace
                )
            )
        } catch {
            work.effects.deadLetter(message, unreadable: error, trace: trace)
            guard let id = error.id else { return }
            work.effects.publish(AnswerCodec.refusal(id, error.rejection), to: work.topics.registered(key, mac))
        }
    }

    /// Carries out the registrations in order of arrival.
    func carryOut(in work: inout UnitOfWork) throws {
        for registration in registrations {
            try registration.carryOut(counting: quotas, in: &work)
        }
    }
}
