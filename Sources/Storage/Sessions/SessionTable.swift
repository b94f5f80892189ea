import Credentials
package import Domain
import Sodium

/// Sessions and the terminals that they are on.
///
/// Each change of a session also changes the terminal's record in the gate's credentials.
package struct SessionTable: TransactionTable {
    let transaction: Transaction

    /// Returns the session with the given token, even if it has ended, or nil if there isn't one.
    ///
    /// A valid access token of a linked service also works. After a refresh, the earlier token also works while it is
    /// valid.
    package func find(token: String) throws -> Domain.Session? {
        if OAuthToken.isAccess(token) { return try transaction.oauth.session(access: token) }
        let hash = Sodium.sha256(token.utf8)
        if let session = try sessions("WHERE tokenHash = $1", hash).first { return session }
        return try sessions("WHERE oldTokenHash = $1 AND oldTokenUntil > $2 ORDER BY loginTime", hash, now)
            .first
    }

    /// Returns one session; nil if there is no such session.
    package func find(_ id: SessionID) throws -> Domain.Session? { try sql.find(SessionRow.table, id)?.session }

    /// Returns the current session on a terminal, or nil.
    package func live(on terminal: TerminalID) throws -> Domain.Session? {
        try sessions("WHERE terminalId = $1 AND endedAt IS NULL ORDER BY loginTime", terminal).first
    }

    /// Returns whether a user is logged in on a terminal.
    package func isLive(_ uid: String, on terminal: TerminalID) throws -> Bool {
        try sql.integer("SELECT 1 FROM session WHERE terminalId = $1 AND endedAt IS NULL AND uid = $2", terminal, uid)
            != nil
    }

    /// Returns the id of a terminal's current link (a session of a user's Home Assistant), or nil.
    package func link(on terminal: TerminalID) throws -> SessionID? {
        let id = Session.linkID(on: terminal)
        return try find(id).flatMap { $0.endedAt == nil ? id : nil }
    }

    /// Returns the users whose Home Assistant has a session (a link) that has not ended.
    package func linkedUsers() throws -> [UserID] {
        let prefix = Credentials.Session.linkPrefix
        // After the prefix, an id has only hexadecimal digits, which sort before "g". So the range contains all ids
        // with the prefix.
        return try sql.values(
            "SELECT DISTINCT uid FROM session WHERE sessionId > $1 AND sessionId < $2 AND endedAt IS NULL",
            prefix,
            prefix + "g"
        )
    }

    /// Returns at most `limit` sessions that have expired but have not been ended yet.
    package func overdue(at now: Instant, limit: Int) throws -> [Domain.Session] {
        try sessions("WHERE endedAt IS NULL AND expiresAt <= $1 ORDER BY expiresAt LIMIT $2", now, limit)
    }

    /// Returns the earliest expiry of the sessions that have not ended, or nil.
    package func nextExpiry() throws -> Instant? {
        try sql.value("SELECT min(expiresAt) FROM session WHERE endedAt IS NULL")
    }

    /// Returns at most `limit` sessions that have not ended, the newest login first.
    package func newest(limit: Int) throws -> [Domain.Session] {
        try sessions("WHERE endedAt IS NULL ORDER BY loginTime DESC LIMIT $1", limit)
    }

    /// Returns a user's sessions that have not ended.
    package func live(of uid: UserID) throws -> [Domain.Session] {
        try sessions("WHERE uid = $1 AND endedAt IS NULL ORDER BY loginTime", uid)
    }

    /// Returns the number of sessions that have not ended.
    package func liveCount() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM session WHERE endedAt IS NULL") ?? 0
    }

    /// Returns the terminals that have a current session, each together with the session's app.
    package func liveTerminals() throws -> [(AppID, TerminalID)] {
        try sql.query("SELECT appId, terminalId FROM session WHERE endedAt IS NULL") { ($0.next(), $0.next()) }
    }

    /// Returns at most `limit` of a user's sessions, including ended sessions, the newest login first.
    package func log(of uid: UserID, limit: Int) throws -> [Domain.Session] {
        try sessions("WHERE uid = $1 ORDER BY loginTime DESC, sessionId LIMIT $2", uid, limit)
    }

    /// Returns the number of an app's sessions that have not ended.
    package func liveCount(ofApp app: AppID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM session WHERE appId = $1 AND endedAt IS NULL", app) ?? 0
    }

    private func sessions<each Value: ColumnValue>(
        _ clause: String,
        _ values: repeat each Value
    ) throws -> [Domain.Session] { try sql.rows(of: SessionRow.table, clause, repeat each values).map(\.session) }

    /// Returns the first app that used a terminal, or nil for an unknown terminal.
    package func app(of terminal: TerminalID) throws -> AppID? {
        try sql.value("SELECT appId FROM terminal WHERE terminalId = $1", terminal)
    }

    /// Begins a session on its terminal; any earlier session on the terminal must have ended.
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
            now
        )
        // From here on, this transaction holds a lock on the terminal's row. A deletion of the terminal (`forget`)
        // waits until this transaction ends, and then finds the session.
        try sql.run(SessionRow.table.insert, SessionRow(session: session, tokenHash: hash))
        try seen(session.uid)
        try sql.run("UPDATE account SET lastLoginAt = $1 WHERE uid = $2", session.loginTime, session.uid)
        try tellGate(session)
    }

    /// Ends a session, and stores the time and the reason.
    package func end(_ session: inout Domain.Session, _ reason: Domain.Session.EndReason) throws {
        try transaction.requireLock(of: session.uid)
        try transaction.pushAddresses.remove(session.terminal)
        session.endedAt = now
        session.endReason = reason
        try sql.run(
            """
            UPDATE session SET endedAt = $1, endReason = $2, oldTokenHash = NULL,
                oldTokenUntil = NULL
            WHERE sessionId = $3
            """,
            now,
            reason.rawValue,
            session.id
        )
        if session.isGrant { try transaction.oauth.deleteTokens(of: session.id) }
        try tellGate(session)
    }

    /// Stores when an ended session's connections were closed, according to the gate's first report.
    ///
    /// The stored time is never before the session's end, even if the clocks differ.
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

    /// Writes a session's end to the gate's credentials again, unless another session has begun on the terminal.
    ///
    /// The process that ended the session may have died before writing the gate's file.
    package func confirmEnd(of session: Domain.Session) throws {
        try transaction.requireLock(of: session.uid)
        guard session.endedAt != nil, try live(on: session.terminal) == nil else { return }
        try tellGate(session)
    }

    /// Writes the session's current state, or its end, to the gate's credentials.
    func tellGate(_ session: Domain.Session) throws {
        let condition = "WHERE sessionId = $1 AND (endedAt IS NULL OR clientId IS NOT NULL)"
        let live = try sql.rows(of: SessionRow.table, condition, session.id).first
        transaction.gate.records.append(
            .terminal(terminalId: session.terminal.text, appId: session.app.text, session: live?.gateSession)
        )
    }

    // MARK: Notices

    /// Claims a notice for this transaction, or returns false if an earlier transaction has claimed the notice.
    package func claim(notice id: MessageID) throws -> Bool { try claim(id.text) }

    /// Claims the tasks that follow a session's end, or returns false if they were already done.
    package func claim(endOf id: SessionID) throws -> Bool { try claim("end of \(id.text)") }

    /// Stores the mark of a commit (`CommitMark`).
    func leave(mark id: String) throws {
        try sql.run("INSERT INTO notice (noticeId, at) VALUES ($1, $2)", id, now)
    }

    /// Deletes marks that are no longer needed, for example because the answers to the marked commits have arrived.
    func forget(marks ids: [String]) throws { try sql.run("DELETE FROM notice WHERE noticeId = $1", each: ids) { $0 } }

    /// Claims the mark of a commit whose answer was lost, or returns false if the commit succeeded.
    ///
    /// If the earlier commit succeeded, it may not have waited for the standby. Therefore, the method writes the mark
    /// again, so that the new transaction's commit waits for the standby.
    func claim(mark id: String) throws -> Bool {
        if try claim(id) { return true }
        try sql.run("UPDATE notice SET at = $1 WHERE noticeId = $2", now, id)
        return false
    }

    private func claim(_ text: String) throws -> Bool {
        try sql.rowsChanged(
            "INSERT INTO notice (noticeId, at) VALUES ($1, $2) ON CONFLICT (noticeId) DO NOTHING",
            text,
            now
        ) == 1
    }

    /// Deletes at most `limit` sessions that ended before a time, and their unused terminals.
    ///
    /// Returns the number of deleted sessions.
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

    /// Deletes a terminal if it has no current session and no stored session of the user.
    private func forget(_ terminal: TerminalID, unlessUsedBy uid: String) throws {
        // A separate statement locks the terminal. If another transaction begins a session during the wait for the
        // lock, the next statement sees that session.
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
