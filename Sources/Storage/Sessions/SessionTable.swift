import Credentials
package import Domain
import Sodium

/// Sessions and the terminals that they are on.
///
/// Each change of a session also changes the terminal's record in the gate's credentials.
package struct SessionTable: TransactionTable {
    let transaction: Transaction

    /// Returns the session with a token, even an ended session, or nil.
    ///
    /// After a refresh, the earlier token counts too as long as it is valid.
    package func find(token: String) throws -> Domain.Session? {
        let hash = Sodium.sha256(token.utf8)
        if let session = try sessions("WHERE tokenHash = $1", hash).first { return session }
        return try sessions("WHERE oldTokenHash = $1 AND oldTokenUntil > $2 ORDER BY loginTime", hash, transaction.now)
            .first
    }

    /// Returns one session, or nil.
    package func find(_ id: SessionID) throws -> Domain.Session? { try find("sessionId = $1", id).first }

    /// Returns the current session on a terminal, or nil.
    package func live(on terminal: TerminalID) throws -> Domain.Session? {
        try find("terminalId = $1 AND endedAt IS NULL", terminal).first
    }

    /// Returns whether a user is logged in on a terminal.
    package func isLive(_ uid: String, on terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM session WHERE terminalId = $1 AND endedAt IS NULL AND uid = $2", terminal, uid)
            != nil
    }

    /// Returns at most `limit` sessions that have expired at a moment, but have not been ended yet.
    package func overdue(at now: Instant, limit: Int) throws -> [Domain.Session] {
        try sessions("WHERE endedAt IS NULL AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
    }

    /// Returns when the next session that has not ended expires, or nil.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM session WHERE endedAt IS NULL")
    }

    /// Returns at most `limit` sessions that have not ended, the newest login first.
    package func newest(limit: Int) throws -> [Domain.Session] {
        try sessions(
            "WHERE endedAt IS NULL ORDER BY loginTime DESC LIMIT $1",
            limit
        )
    }

    /// Returns a user's sessions that have not ended.
    package func live(of uid: UserID) throws -> [Domain.Session] { try find("uid = $1 AND endedAt IS NULL", uid) }

    /// Returns the number of sessions that have not ended.
    package func liveCount() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM session WHERE endedAt IS NULL") ?? 0
    }

    /// Returns the terminals with a session that has not ended, each with its app.
    package func liveTerminals() throws -> [(AppID, TerminalID)] {
        try sql.query("SELECT appId, terminalId FROM session WHERE endedAt IS NULL") { ($0.next(), $0.next()) }
    }

    private func find<each Value: ColumnValue>(
        _ condition: String,
        _ values: repeat each Value
    ) throws -> [Domain.Session] { try sessions("WHERE \(condition) ORDER BY loginTime", repeat each values) }

    private func sessions<each Value: ColumnValue>(
        _ clause: String,
        _ values: repeat each Value
    ) throws -> [Domain.Session] { try sql.rows(of: SessionRow.table, clause, repeat each values).map(\.session) }

    /// Returns the app that a terminal belongs to, which is the first app that used it; nil if the terminal is unknown.
    package func app(of terminal: TerminalID) throws -> AppID? {
        try sql.value("SELECT appId FROM terminal WHERE terminalId = $1", terminal)
    }

    /// Begins a session on its terminal, where any earlier session must have ended.
    package func begin(_ session: Domain.Session, token: String) throws {
        try transaction.requireLock(of: session.uid)
        let hash = Sodium.sha256(token.utf8)
        try sql.run(
            """
            INSERT INTO terminal (terminalId, appId, createdAt) VALUES ($1, $2, $3)
            ON CONFLICT (terminalId) DO UPDATE SET appId = terminal.appId
            """,
            session.terminal,
            session.app,
            transaction.now
        )
        // From here on, this transaction has locked the terminal's row. A transaction that would delete the terminal
        // waits until this one has ended, and then finds the session (`forget`).
        try sql.run(SessionRow.table.insert, SessionRow(session: session, tokenHash: hash))
        try seen(session.uid)
        try sql.run("UPDATE account SET lastLoginAt = $1 WHERE uid = $2", session.loginTime, session.uid)
        try tellGate(session)
    }

    /// Ends a session, and stores the time and the reason.
    package func end(_ session: inout Domain.Session, _ reason: Domain.Session.EndReason) throws {
        try transaction.requireLock(of: session.uid)
        session.endedAt = transaction.now
        session.endReason = reason
        try sql.run(
            """
            UPDATE session SET endedAt = $1, endReason = $2, oldTokenHash = NULL,
                oldTokenUntil = NULL
            WHERE sessionId = $3
            """,
            transaction.now,
            reason.rawValue,
            session.id
        )
        try tellGate(session)
    }

    /// Stores when the gate had closed all connections of an ended session; only the first report of this counts.
    ///
    /// The stored time is never before the session's end, whose time may come from another clock.
    package func noteCutOff(of session: Domain.Session, at moment: Instant) throws {
        try transaction.requireLock(of: session.uid)
        guard let endedAt = session.endedAt else { return }
        try sql.run(
            "UPDATE session SET cutOffAt = $1 WHERE sessionId = $2 AND cutOffAt IS NULL",
            max(moment, endedAt),
            session.id
        )
    }

    // MARK: The gate

    /// Writes the end of a session to the gate's credentials again, unless another session has begun on the terminal.
    ///
    /// The process that ended the session may have died between its commit and the write to the gate's file.
    package func confirmEnd(of session: Domain.Session) throws {
        try transaction.requireLock(of: session.uid)
        guard session.endedAt != nil, try live(on: session.terminal) == nil else { return }
        try tellGate(session)
    }

    /// Writes the session's current state, or its end, to the gate's credentials.
    func tellGate(_ session: Domain.Session) throws {
        let live = try sql.rows(of: SessionRow.table, "WHERE sessionId = $1 AND endedAt IS NULL", session.id).first
        transaction.gate.records.append(
            .terminal(terminalId: session.terminal.text, appId: session.app.text, session: live?.gateSession)
        )
    }

    // MARK: Notices

    /// Claims a notice for this transaction; returns false if the notice has taken effect before.
    package func claim(notice id: MessageID) throws -> Bool { try claim(id.text) }

    /// Claims the tasks after a session's end for this transaction; returns false if they were carried out before.
    package func claim(endOf id: SessionID) throws -> Bool { try claim("end of \(id.text)") }

    /// Stores the mark of a commit (`CommitMark`).
    func leave(mark id: String) throws {
        try sql.run(
            "INSERT INTO notice (noticeId, at) VALUES ($1, $2)",
            id,
            transaction.now
        )
    }

    /// Deletes the marks of commits whose answers arrived.
    func forget(marks ids: [String]) throws { try sql.run("DELETE FROM notice WHERE noticeId = $1", each: ids) { $0 } }

    /// Claims the mark of a commit whose answer was lost; returns false if the commit succeeded.
    ///
    /// If the commit succeeded, the mark is written again, so that this transaction's commit waits for the standby; the
    /// earlier commit might not have waited.
    func claim(mark id: String) throws -> Bool {
        if try claim(id) { return true }
        try sql.run("UPDATE notice SET at = $1 WHERE noticeId = $2", transaction.now, id)
        return false
    }

    private func claim(_ text: String) throws -> Bool {
        try sql.run(
            "INSERT INTO notice (noticeId, at) VALUES ($1, $2) ON CONFLICT (noticeId) DO NOTHING",
            text,
            transaction.now
        )
        return try sql.changes == 1
    }

    /// Deletes at most `limit` sessions that ended before a moment, and terminals that then have no session; returns
    /// the number of sessions deleted.
    func deleteEnded(before: Instant, limit: Int) throws -> Int {
        let old = try sql.query(
            "SELECT sessionId, terminalId, uid FROM session WHERE endedAt < $1 ORDER BY endedAt LIMIT $2",
            before,
            limit
        ) { (session: $0.next(SessionID.self), terminal: $0.next(TerminalID.self), uid: $0.next(String.self)) }
        try sql.run("DELETE FROM session WHERE sessionId = $1", each: old) { $0.session }
        for row in old { try forget(row.terminal, unlessUsedBy: row.uid) }
        return old.count
    }

    /// Deletes a terminal on which no session is going on, unless the user still has an ended session on it.
    private func forget(_ terminal: TerminalID, unlessUsedBy uid: String) throws {
        // The terminal is locked in a separate statement, so that the next statement sees a session that a login has
        // begun on the terminal meanwhile.
        if sql.hasOtherWriters {
            try sql.run("SELECT terminalId FROM terminal WHERE terminalId = $1 FOR UPDATE", terminal)
        }
        // The condition on the user makes the database use the index of users' sessions.
        try sql.run(
            """
            DELETE FROM terminal WHERE terminalId = $1
                AND NOT EXISTS (SELECT 1 FROM session AS s
                    WHERE s.terminalId = terminal.terminalId AND s.endedAt IS NULL)
                AND NOT EXISTS (SELECT 1 FROM session AS s
                    WHERE s.uid = $2 AND s.terminalId = terminal.terminalId)
            """,
            terminal,
            uid
        )
        guard try sql.changes == 1 else { return }
        transaction.gate.records.append(.removed(.terminal, key: terminal.text))
    }
}
