import Credentials

// The review of connections after the records have changed. Connections that are no longer admitted are closed.
extension Gate {
    /// Records the new session of each terminal that has logged in on an open connection.
    func noteLogins(in records: [Record]) {
        for case .terminal(let terminalId, _, let session?) in records {
            connected[terminalId]?.take(session.sessionId)
        }
    }

    /// Closes the connections that new records no longer admit.
    func review(_ records: [Record]) {
        noteLogins(in: records)
        let narrow: Set<Record.Kind> = [.device, .certificates, .terminal]
        let isWide = records.contains { !narrow.contains($0.kind) }
        review(isWide ? Array(connected.values) : records.compactMap { client(on: $0.key) })
    }

    /// Closes the connections of those clients that the records no longer admit.
    func review(_ clients: [Client]) {
        for client in clients where rights(of: client) == nil && !client.isLeaving {
            leaving.append(Leave(client: client, due: 0))
        }
    }

    /// Closes connections of terminals whose session is missing from a new credentials file.
    ///
    /// Each connection stays open for a moment, so that the terminal can receive the message about the session's end.
    /// The same happens after a revocation.
    func reviewSessions() {
        for client in connected.values where client.isTerminal && !client.isLeaving {
            let entry = client.terminalId.flatMap { watch.tables.terminals[$0]?.session }
            let live = admission.live(entry, at: Clock.now())
            guard let session = client.session else {
                if let live { client.take(live.sessionId) }
                continue
            }
            guard live?.sessionId != session else { continue }
            if let live, watch.followed[client.clientId]?.contains(session) == true {
                // The terminal logged in on this connection after the credentials file had been written.
                client.take(live.sessionId)
                continue
            }
            client.isCutOff = true
            // If the terminal has no live session, it can log in before `due` and thus keep its connection.
            let ended = live == nil ? session : nil
            let due = Clock.steady() &+ Self.farewell
            leaving.append(Leave(client: client, due: due, session: ended))
        }
    }

    /// Closes the connections that are due at `steady`, a time of the monotonic clock.
    func closeDue(at steady: Int64) {
        let due = leaving.filter { $0.due <= steady }
        leaving.removeAll { $0.due <= steady }
        for leave in due where leave.client.isConnected {
            guard isOwed(leave) else {
                leave.client.isCutOff = false
                if leave.session == leave.client.cutSession { tellCut(of: leave.client) }
                continue
            }
            leave.client.isLeaving = true
            if leave.session != nil { endSession(of: leave.client) }
            Broker.kick(leave.client.clientId)
        }
    }

    /// Returns whether a connection must still be closed, because no other connection or session has replaced it.
    private func isOwed(_ leave: Leave) -> Bool {
        guard connected[leave.client.clientId] === leave.client else { return false }
        guard let session = leave.session else { return true }
        return !hasOtherSession(leave.client.terminalId ?? leave.client.clientId, than: session)
    }
}
