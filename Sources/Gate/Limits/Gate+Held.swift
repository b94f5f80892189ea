import CMosquittoBroker
import Credentials
import JSON
import Metering

// The limits on the memory that the broker uses for each client (reference: fairness#held). The broker asks the gate
// before each delivery. The gate then counts the delivery as a waiting message. To subtract acknowledged messages, the
// gate must be able to read the broker's memory (`PrivateStructure`). The gate subtracts them when the count reaches a
// limit, and once a second.
extension Gate {
    /// Returns whether the limit on a client's memory leaves room for a delivery that the client's rights permit.
    ///
    /// If there is no room, the method records a missed status or publishes a refusal.
    func mayHold(_ client: Client, at pointer: OpaquePointer, topic: Bytes, bytes: Int) -> Bool {
        guard let held = heldBy(client) else { return true }
        let size = bytes &+ topic.count &+ PrivateStructure.bytesPerMessage
        let isStatus = topic.suffix(Self.status.count).elementsEqual(Self.status)
        if !held.hasRoom(bytes: size, isStatus: isStatus) {
            let now = Clock.coarse()
            read(held, pointer, isConnected: client.isConnected, at: now, isStatus: isStatus)
            guard held.hasRoom(bytes: size, isStatus: isStatus) else {
                leaveOut(held, of: client, topic: topic, isStatus: isStatus, at: now)
                return false
            }
        }
        count(held) { held.add(bytes: size) }
        return true
    }

    private static let status = Array("/status".utf8)

    private func leaveOut(_ held: Held, of client: Client, topic: Bytes, isStatus: Bool, at now: Int64) {
        if isStatus {
            if held.missed.isEmpty { slow[held.clientId] = held }
            held.missed.note(topic, rootLevels: rootLevels)
        } else if held.report.mustTell(at: now) {
            tell(client, .receive(bytes: 0), to: topic, because: .tooSlow)
        }
    }

    /// Returns the record of a client's memory, or nil for services, which have no limit.
    private func heldBy(_ client: Client) -> Held? {
        if let held = client.held { return held }
        guard let limit = settings.limits.heldLimit(of: client.principal) else { return nil }
        let held = held[client.clientId] ?? Held(client.clientId, limit: limit)
        self.held[client.clientId] = held
        client.held = held
        if client.isConnected { held.client = client }
        return held
    }

    private func count(_ held: Held, _ change: () -> Void) {
        let before = held.bytes
        change()
        heldBytes &+= held.bytes &- before
    }

    /// Reads how much memory the broker uses for a client, and updates the sum for all clients.
    func read(
        _ held: Held,
        _ pointer: OpaquePointer,
        isConnected: Bool,
        at now: Int64,
        isForced: Bool = false,
        isStatus: Bool = false
    ) {
        count(held) {
            held.read(
                pointer,
                isConnected: isConnected,
                at: now,
                isForced: isForced,
                isStatus: isStatus,
                isAccepting: !isFull
            )
        }
    }

    /// Gives a connecting client the memory record of its resumed session, or drops the record if the session is new.
    func inherit(_ pointer: OpaquePointer, _ client: Client) {
        inheriting.insert(pointer)
        pendingEnds[client.clientId] = nil
        if client.rights.isService { arrivedServices.append(client) }
        if gate_client_clean_start(pointer) { forgetHeld(client.clientId) }
        guard let held = held[client.clientId] else { return }
        (client.held, held.client, held.lapsesAt) = (held, client, .max)
    }

    /// Updates a client's memory record when the client's connection ends.
    ///
    /// If the session continues, the time at which it will expire is recorded. If the session ends with the connection,
    /// the memory record is dropped.
    func leaveSession(of client: Client, _ pointer: OpaquePointer) {
        guard client.isConnected else { return }
        noteSession(of: client)
        guard let held = held[client.clientId], held.client === client else { return }
        let seconds = PrivateStructure.sessionSeconds(of: pointer) ?? 7 * 86_400
        if seconds == 0 { return forgetHeld(client.clientId) }
        (held.client, held.lapsesAt) = (nil, Clock.coarse() &+ Int64(seconds) &* 1_000)
    }

    /// Drops the memory record of a client whose session has ended.
    func forgetHeld(_ clientId: String) {
        guard let held = held.removeValue(forKey: clientId) else { return }
        count(held) { held.clear() }
        held.client?.held = nil
        slow[clientId] = nil
    }

    /// Reviews all memory records, once a second.
    func reviewHeld(at steady: Int64) {
        let now = Clock.coarse()
        for held in held.values {
            if held.client == nil, held.lapsesAt <= now { forgetHeld(held.clientId) }
            guard let client = held.client, client.isConnected, let pointer = client.pointer else { continue }
            read(held, pointer, isConnected: true, at: now, isForced: true)
            if held.messages == 0, held.missed.isEmpty {
                forgetHeld(held.clientId)
            } else if settings.limits.tooSlowSeconds > 0,
                now &- held.stuckSince >= Int64(settings.limits.tooSlowSeconds) &* 1_000, held.stuckSince < .max,
                !client.isLeaving
            {
                expel(client)
            }
        }
        tellMissed()
    }

    /// Closes the connection of a client that reads too slowly.
    func expel(_ client: Client) {
        let topic = Array("\(settings.root)/".utf8)
        topic.withUnsafeBufferPointer { tell(client, .receive(bytes: 0), to: $0, because: .tooSlow) }
        leaving.append(Leave(client: client, due: 0))
    }

    /// Asks the service to publish the missed statuses again to terminals that can receive them now.
    func tellMissed() {
        for held in slow.values {
            guard let client = held.client, client.isConnected, let pointer = client.pointer else { continue }
            read(held, pointer, isConnected: true, at: Clock.coarse())
            guard held.isDrained else { continue }
            slow[held.clientId] = nil
            let (missed, terminalId) = (held.missed, client.terminalId ?? held.clientId)
            held.missed = MissedStatuses()
            let message: JSONObject = [
                "terminalId": .string(terminalId), "uid": .string(missed.uid),
                "dids": .array(missed.dids.sorted().map { .string($0) }), "all": .bool(missed.isAll),
                "ts": .integer(Clock.now()),
            ]
            tellWorkers("system/missed", ofTerminal: terminalId, message)
        }
    }
}
