package import Domain

extension AccountTable {
    /// Returns the number of users.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM account") ?? 0 }

    /// Returns the number of an app's users.
    package func count(ofApp app: AppID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM account WHERE appId = $1", app) ?? 0
    }

    /// Returns when each user was last seen.
    ///
    /// The time is exact to the minute if the user has a stored session. Otherwise, it is exact to the hour.
    package func lastSeen(_ uids: [UserID]) throws -> [UserID: Instant] {
        var seen: [UserID: Instant] = [:]
        try sql.query(
            """
            SELECT lastSeenAt, (SELECT max(coalesce(s.lastSeenAt, s.loginTime)) FROM session AS s
                WHERE s.uid = $1)
            FROM account WHERE uid = $1
            """,
            each: uids
        ) { uid, row in
            let moments = [row.next(Instant?.self), row.next(Instant?.self)]
            seen[uid] = moments.compactMap(\.self).max()
        }
        return seen
    }

    /// Returns users in the order of their ids, starting after `uid`.
    package func page(after uid: String, app: String? = nil, limit: Int) throws -> [User] {
        try sql.values(
            "SELECT uid FROM account WHERE uid > $1 AND ($2 IS NULL OR appId = $2) ORDER BY uid LIMIT $3",
            uid,
            app,
            limit
        ).compactMap { try find($0) }
    }
}
