package import Domain

extension SessionTable {
    /// Returns at most `limit` of a user's sessions, including ended sessions, the newest login first.
    package func log(of uid: UserID, limit: Int) throws -> [Domain.Session] {
        try transaction.sql.rows(
            of: SessionRow.table,
            "WHERE uid = $1 ORDER BY loginTime DESC, sessionId LIMIT $2",
            uid,
            limit
        ).map(\.session)
    }

    /// Returns the number of an app's sessions that have not ended.
    package func liveCount(ofApp app: AppID) throws -> Int64 {
        try transaction.sql.integer("SELECT count(*) FROM session WHERE appId = $1 AND endedAt IS NULL", app) ?? 0
    }
}
