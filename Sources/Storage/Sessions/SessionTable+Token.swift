package import Domain
import Sodium

extension SessionTable {
    /// Gives a session a new token and a new lifetime, but accepts the earlier token for a while.
    ///
    /// Returns false if `token` is not the newest, for example after another refresh.
    package func refresh(
        _ session: inout Domain.Session,
        from token: String,
        to newToken: String,
        lifeSeconds: Int64
    ) throws -> Bool {
        try transaction.requireLock(of: session.uid)
        let expiresAt = now.adding(seconds: lifeSeconds)
        let until = now.adding(seconds: Domain.Session.overlapSeconds)
        try sql.run(
            """
            UPDATE session SET tokenHash = $1, expiresAt = $2, oldTokenHash = tokenHash,
                oldTokenUntil = $3
            WHERE sessionId = $4 AND tokenHash = $5 AND endedAt IS NULL
            """,
            Sodium.sha256(newToken.utf8),
            expiresAt,
            until,
            session.id,
            Sodium.sha256(token.utf8)
        )
        guard try sql.changes == 1 else { return false }
        session.expiresAt = expiresAt
        session.hasOldToken = true
        try tellGate(session)
        return true
    }

    /// Records that a token of a session was used.
    ///
    /// The first use of a new token makes the earlier token invalid. After any token's first use, the terminal can't
    /// connect with the app's secret. The time of use is stored at most once a minute. If there is an earlier token, or
    /// if the time must be stored, the method locks the user.
    package func use(_ token: String, of session: Domain.Session) throws {
        let oldest = now.adding(seconds: -Domain.Session.seenSeconds)
        let isSeen = session.lastSeenAt.map { $0 > oldest } ?? false
        guard session.hasOldToken || !isSeen else { return }
        try transaction.lock(users: [session.uid])
        if session.hasOldToken { try endOldToken(of: session, by: token) }
        guard !isSeen else { return }
        guard session.isUsed else { return try noteFirstUse(of: session) }
        try sql.run("UPDATE session SET lastSeenAt = $1 WHERE sessionId = $2", now, session.id)
        try seen(session.uid)
    }

    /// Records the first use of a session's token, unless a use was recorded before.
    package func noteFirstUse(of session: Domain.Session) throws {
        try transaction.requireLock(of: session.uid)
        try sql.run(
            "UPDATE session SET lastSeenAt = $1 WHERE sessionId = $2 AND lastSeenAt IS NULL AND endedAt IS NULL",
            now,
            session.id
        )
        guard try sql.changes == 1 else { return }
        try seen(session.uid)
        try tellGate(session)
    }

    private func endOldToken(of session: Domain.Session, by token: String) throws {
        try sql.run(
            """
            UPDATE session SET oldTokenHash = NULL, oldTokenUntil = NULL
            WHERE sessionId = $1 AND tokenHash = $2 AND oldTokenHash IS NOT NULL
            """,
            session.id,
            Sodium.sha256(token.utf8)
        )
        if try sql.changes == 1 { try tellGate(session) }
    }

    /// Invalidates the replaced token at once, because the gate saw the new token's use.
    ///
    /// If the old token's expiry isn't `until`, nothing is changed. In this case, the session was refreshed again, or
    /// the old token is already invalid.
    package func endOldToken(of session: Domain.Session, until: Instant) throws {
        try transaction.requireLock(of: session.uid)
        try sql.run(
            """
            UPDATE session SET oldTokenHash = NULL, oldTokenUntil = NULL
            WHERE sessionId = $1 AND oldTokenUntil = $2 AND endedAt IS NULL
            """,
            session.id,
            until
        )
        if try sql.changes == 1 { try tellGate(session) }
    }

    /// Records when a user was last seen, but changes the time at most once an hour.
    func seen(_ uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run(
            "UPDATE account SET lastSeenAt = $1 WHERE uid = $2 AND (lastSeenAt IS NULL OR lastSeenAt < $3)",
            now,
            uid,
            now.adding(seconds: -3600)
        )
    }
}
