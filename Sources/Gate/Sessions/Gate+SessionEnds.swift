import Batching
import CMosquittoBroker
import Credentials
import JSON
import Metering

// The lifetime of the broker's sessions. The session of a client with a shared secret ends with its connection, a
// terminal's after an hour, a device's after seven days. If the gate can write to the broker's memory, it sets this at
// CONNECT. The service ends other sessions, and disconnected ones that hold too much: it connects with the client's id
// and begins clean.
extension Gate {
    private static let deviceSeconds: UInt32 = 7 * 86_400
    /// The maximum number of sessions whose end is pending; further ones end by the broker's own expiry.
    private static let owedMax = 100_000
    /// The maximum number of client ids in one message.
    private static let owedPerMessage = 200

    /// Limits the lifetime of the session that a CONNECT requests.
    func boundSession(of pointer: OpaquePointer, _ pass: Admission.Pass) {
        switch pass.principal {
        case .service: return
        case .device: PrivateStructure.endSession(of: pointer, after: Self.deviceSeconds)
        case .terminal, .product:
            guard settings.limits.terminalSessionSeconds > 0 else { return }
            if pass.isSecretShared {
                PrivateStructure.beginClean(pointer)
                PrivateStructure.endSession(of: pointer, after: 0)
            } else {
                let seconds = UInt32(clamping: settings.limits.terminalSessionSeconds)
                PrivateStructure.endSession(of: pointer, after: seconds)
            }
        }
    }

    /// Records the time at which an ended connection's session must end, if the gate couldn't set the session's
    /// lifetime in the broker.
    func noteSession(of client: Client) {
        guard settings.limits.terminalSessionSeconds > 0, !BrokerVersion.isTested else { return }
        switch client.principal {
        case .service, .device: return
        case .product: owe(client.clientId, after: 0)
        case .terminal:
            let seconds = client.isSecretShared ? 0 : settings.limits.terminalSessionSeconds
            owe(client.clientId, after: Int64(seconds) &* 1_000)
        }
    }

    /// Ends the session of a connection that is about to be closed.
    ///
    /// If the gate can't, the service does, after the delay or, with nil, before the client connects again.
    func endSession(of client: Client, owedAfter milliseconds: Int64? = 0) {
        guard let pointer = client.pointer, PrivateStructure.endSession(of: pointer, after: 0)
        else {
            return owe(client.clientId, after: milliseconds)
        }
    }

    /// Makes the service end a client's session after `milliseconds`, unless the client connects before.
    ///
    /// With nil the service ends the session at once, and the client is refused until then. The earlier of two times
    /// counts: the end of the connection, which follows, must not postpone it.
    func owe(_ clientId: String, after milliseconds: Int64?) {
        let other = pendingEnds[clientId]
        guard pendingEnds.count < Self.owedMax || other != nil else { return }
        let due = milliseconds.map { Clock.steady() &+ $0 } ?? .min
        pendingEnds[clientId] = min(other ?? .max, due)
    }

    /// Refuses a client that would resume a session that the service has not ended yet.
    func checkEnd(of clientId: String, at pointer: OpaquePointer) throws(RefusalReason) {
        guard pendingEnds[clientId] != .min || gate_client_clean_start(pointer) else { throw .busy }
    }

    /// Asks the service to end the pending sessions, once a second until they have ended.
    func tellOwed(at steady: Int64) {
        guard !pendingEnds.isEmpty else { return }
        var byShard: [UInt8: [String]] = [:]
        for (clientId, due) in pendingEnds where due <= steady && connected[clientId] == nil {
            byShard[hasShards ? Shard.of(clientId.utf8) : 0, default: []].append(clientId)
        }
        for ids in byShard.values {
            guard let first = ids.first else { continue }
            let topic = topicForWorkers("system/session-owed", ofTerminal: first)
            let some = ids.prefix(Self.owedPerMessage).map { JSONValue.string($0) }
            Broker.publish(topic, ["clientIds": .array(some)], qos: 0)
        }
    }

    /// Whether the service connects with a client's id to end that client's session.
    func isEndOfSession(_ client: OpaquePointer, facts: Broker.Facts, password: Digest?) -> Bool {
        facts.username == "service:\(Admission.workerName)" && password == admission.worker
            && !facts.clientId.utf8.starts(with: "svc.".utf8) && gate_client_clean_start(client)
    }

    /// Lets the service end a session whose end is pending; it never takes over a live connection.
    func endSession(of clientId: String) -> Bool {
        guard connected[clientId] == nil, pendingEnds.removeValue(forKey: clientId) != nil else { return false }
        forgetHeld(clientId)
        return true
    }
}
