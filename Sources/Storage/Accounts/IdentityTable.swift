package import Domain
import Sodium

/// Users' identities at providers, found by provider and subject alone.
package struct IdentityTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// A user's name at one provider.
    package struct Link: Sendable, Equatable {
        /// The provider's name.
        package var provider: String
        /// The user's id there.
        package var subject: String
        /// When it was linked.
        package var linkedAt: Instant
        /// The provider's token, where the app keeps it.
        package var accessToken: String?
    }

    /// Returns the user that a provider's subject belongs to, or nil.
    package func owner(
        _ provider: String,
        _ subject: String,
        app: AppID,
        region: String
    ) throws -> UserID? {
        try sql.first(
            """
            SELECT uid FROM identity
            WHERE appId = $1 AND region = $2 AND provider = $3 AND subject = $4
            """,
            app,
            region,
            provider,
            subject
        ) {
            $0.next()
        }
    }

    /// Returns a user's links, the oldest first.
    package func all(of uid: UserID) throws -> [Link] {
        try sql.query(
            """
            SELECT provider, subject, linkedAt, accessToken FROM identity WHERE uid = $1
            ORDER BY linkedAt, provider
            """,
            uid
        ) { row in
            Link(
                provider: row.next(),
                subject: row.next(),
                linkedAt: row.next(),
                accessToken: row.next([UInt8]?.self).flatMap(transaction.key.open)
                    .map { String(decoding: $0, as: UTF8.self) }
            )
        }
    }

    /// Links a subject with a user, or keeps the newer token; the token is sealed.
    package func save(
        _ provider: String,
        _ subject: String,
        of user: User,
        accessToken: String?
    ) throws {
        try sql.run(
            """
            INSERT INTO identity (appId, region, provider, subject, uid, linkedAt, accessToken)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (appId, region, provider, subject) DO UPDATE SET
                accessToken = excluded.accessToken
            """,
            user.app,
            user.region,
            provider,
            subject,
            user.uid,
            transaction.now,
            accessToken.map { transaction.key.seal(Array($0.utf8)) }
        )
    }

    /// Ends a user's link with a provider; false when there was none.
    package func remove(_ provider: String, of uid: UserID) throws -> Bool {
        try sql.run("DELETE FROM identity WHERE uid = $1 AND provider = $2", uid, provider)
        return sql.changes > 0
    }

    /// Erases all links of a user.
    package func erase(_ uid: UserID) throws {
        try sql.run("DELETE FROM identity WHERE uid = $1", uid)
    }
}
