import Batching
import CMosquittoBroker
import Credentials
import JSON
import Metering

// The lifetime of MQTT sessions. By default, a terminal's session ends an hour after its connection ends. If a client
// connected with a shared secret, the client's session ends together with the connection. A device's session ends seven
// days after its connection ends. If the gate can write to the broker's memory, it sets the sessions' lifetimes at
// CONNECT. If not, the service ends the sessions of terminals and products. The service also ends disconnected sessions
// that take up too much memory. To end a session, the service connects with the client's id and a clean start.
extension Gate {
    private static let deviceSeconds: UInt32 = 7 * 86_400
    /// The maximum number of sessions that wait for the service to end them.
    ///
    /// Further sessions end when the broker expires them.
    private static let owedMax = 100_000
    /// The maximum number of client ids in one message that asks the service to end sessions.
    private static let owedPerMessage = 200

    /// Limits the lifetime of the session that a CONNECT requests.
    func boundSession(of pointer: OpaquePointer, _ pass: Admission.Pass) {
        switch pass.principal {
        case .service: return
        case .device: PrivateStructure.endSession(of: pointer, after: Self.deviceSeconds)
        case .terminal, .link, .product:
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

    /// Records when a disconnected session must end, if the gate couldn't limit its lifetime.
    func noteSession(of client: Client) {
        guard settings.limits.terminalSessionSeconds > 0, !BrokerVersion.isTested else { return }
        switch client.principal {
        case .service, .device: return
        case .product: owe(client.clientId, after: 0)
        case .terminal, .link:
            let seconds = client.isSecretShared ? 0 : settings.limits.terminalSessionSeconds
            owe(client.clientId, after: Int64(seconds) &* 1_000)
        }
    }

    /// Ends the MQTT session of a connection that is about to be closed.
    ///
    /// If the gate can't end the session, the service ends the session after `milliseconds`. If `milliseconds` is nil,
    /// the service ends the session before the client can resume it.
    func endSession(of client: Client, owedAfter milliseconds: Int64? = 0) {
        guard let pointer = client.pointer, PrivateStructure.endSession(of: pointer, after: 0) else {
            return owe(client.clientId, after: milliseconds)
        }
    }

    /// Makes the service end a client's session, unless the client connects within `milliseconds`.
    ///
    /// If `milliseconds` is nil, the session is due at once, and the client can't resume it. If this method is called
    /// twice for a session, the earlier time counts. For example, `endSession` calls this method before a connection is
    /// closed, and `noteSession` calls it when the connection has ended. The call by `noteSession` doesn't postpone the
    /// session's end.
    func owe(_ clientId: String, after milliseconds: Int64?) {
        let other = pendingEnds[clientId]
        guard pendingEnds.count < Self.owedMax || other != nil else { return }
        let due = milliseconds.map { Clock.steady() &+ $0 } ?? .min
        pendingEnds[clientId] = min(other ?? .max, due)
    }

    /// Refuses a client that asks to resume a session that the service must end first.
    func checkEnd(of clientId: String, at pointer: OpaquePointer) throws(RefusalReason) {
        guard pendingEnds[clientId] != .min || gate_client_clean_start(pointer) else { throw .busy }
    }

    /// Asks the service to end the sessions that are due, and repeats this every second until they have ended.
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

    /// Returns whether the service sent a CONNECT only to end the session of the CONNECT's client id.
    func isEndOfSession(_ client: OpaquePointer, facts: Broker.Facts, password: Digest?) -> Bool {
        facts.username == "service:\(Admission.workerName)" && password == admission.worker
            && !facts.clientId.utf8.starts(with: "svc.".utf8) && gate_client_clean_start(client)
    }

    /// Returns whether the service may now end a client's session, and if so, removes the session from those that wait.
    ///
    /// If the session isn't waiting or the client has a live connection, nothing changes, and the result is false.
    func endSession(of clientId: String) -> Bool {
        guard connected[clientId] == nil, pendingEnds.removeValue(forKey: clientId) != nil else { return false }
        forgetHeld(clientId)
        return true
    }
}
