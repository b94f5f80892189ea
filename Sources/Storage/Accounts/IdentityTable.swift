package import Domain

/// Users' identities at providers, found by the provider's name and the user's id at the provider.
package struct IdentityTable: TransactionTable {
    let transaction: Transaction

    /// A user's identity at one provider.
    package struct Link: Sendable, Equatable {
        /// The provider's name.
        package var provider: String
        /// The user's id at the provider.
        package var subject: String
        /// The time at which the identity was linked to the user.
        package var linkedAt: Instant
        /// The provider's token; nil if the app doesn't keep the token.
        package var accessToken: String?
    }

    /// Returns the user who is linked to an identity at a provider, or nil.
    package func owner(_ provider: String, _ subject: String, app: AppID, region: String) throws -> UserID? {
        try sql.value(
            "SELECT uid FROM identity WHERE appId = $1 AND region = $2 AND provider = $3 AND subject = $4",
            app,
            region,
            provider,
            subject
        )
    }

    /// Returns a user's linked identities, the oldest first.
    package func all(of uid: UserID) throws -> [Link] {
        try sql.rows(of: IdentityRow.table, "WHERE uid = $1 ORDER BY linkedAt, provider", uid)
            .map(\.link)
    }

    /// Links an identity to a user, or replaces the existing link's token, which is stored encrypted.
    package func save(_ provider: String, _ subject: String, of user: User, accessToken: String?) throws {
        let link = Link(provider: provider, subject: subject, linkedAt: now, accessToken: accessToken)
        try transaction.requireLock(of: user.uid)
        try sql.run(
            IdentityRow.table.upsert,
            IdentityRow(app: user.app, region: user.region, link: link, uid: user.uid)
        )
    }

    /// Removes a user's identity at a provider, if there is one.
    package func remove(_ provider: String, of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("DELETE FROM identity WHERE uid = $1 AND provider = $2", uid, provider)
    }
}

/// An identity at a provider, together with the app, the region and the user to which it belongs.
struct IdentityRow: TableRow {
    var app: AppID
    var region: String
    var link: IdentityTable.Link
    var uid: UserID

    static let table = Table<IdentityRow>("identity")

    static func map(_ column: inout ColumnMapper<IdentityRow>) -> IdentityRow {
        IdentityRow(
            app: column("appId", \.app, as: .key),
            region: column("region", \.region, as: .key),
            link: IdentityTable.Link(
                provider: column("provider", \.link.provider, as: .key),
                subject: column("subject", \.link.subject, as: .key),
                linkedAt: column("linkedAt", \.link.linkedAt),
                accessToken: column.sealed("accessToken", { $0.link.accessToken.map { Array($0.utf8) } }, as: .changing)
                    .map { String(decoding: $0, as: UTF8.self) }
            ),
            uid: column("uid", \.uid)
        )
    }
}
