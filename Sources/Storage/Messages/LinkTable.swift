package import Domain
import JSON
import Sodium

/// The links sent in messages; each link works once, and its token is stored only as a digest.
package struct LinkTable: TransactionTable {
    let transaction: Transaction

    /// Makes a link and returns its token: 256 random bits, which are not stored.
    package func make(
        _ kind: Link.Kind,
        uid: UserID,
        address: String,
        detail: [String: String] = [:],
        expiresAt: Instant
    ) throws -> String {
        let token = Sodium.randomSecret()
        let content: JSONObject = ["address": .string(address), "detail": .object(JSONObject(texts: detail))]
        let row = LinkRow(
            tokenHash: Self.hash(token),
            kind: kind.rawValue,
            uid: uid,
            content: content.encoded(),
            createdAt: now,
            expiresAt: expiresAt
        )
        try transaction.requireLock(of: uid)
        try sql.run(LinkRow.table.insert, row)
        return token
    }

    /// Returns a link, even an expired or used one, without using it up; nil if the token is unknown.
    package func find(_ token: String) throws -> Link? { try sql.find(LinkRow.table, Self.hash(token))?.link }

    /// Uses up and returns a valid link of the given kind, or returns nil.
    package func use(_ kind: Link.Kind, _ token: String) throws -> Link? {
        try sql.rowsChanged(
            "UPDATE link SET usedAt = $1 WHERE tokenHash = $2 AND kind = $3 AND usedAt IS NULL AND expiresAt > $1",
            now,
            Self.hash(token),
            kind.rawValue
        ) == 1 ? find(token) : nil
    }

    /// Voids all of a user's unused links of a kind.
    package func void(_ kind: Link.Kind, of uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run(
            "UPDATE link SET usedAt = $1 WHERE uid = $2 AND kind = $3 AND usedAt IS NULL",
            now,
            uid,
            kind.rawValue
        )
    }

    /// Voids a user's unused links of a kind, but only links that were made since `moment` and that `isMeant` accepts.
    ///
    /// Links that can't be decoded are voided too.
    package func void(_ kind: Link.Kind, of uid: UserID, since moment: Instant, where isMeant: (Link) -> Bool) throws {
        let found = try sql.rows(
            of: LinkRow.table,
            "WHERE uid = $1 AND kind = $2 AND createdAt >= $3 AND usedAt IS NULL",
            uid,
            kind.rawValue,
            moment
        )
        let meant = found.filter { $0.link.map(isMeant) ?? true }
        try transaction.requireLock(of: uid)
        try sql.run("UPDATE link SET usedAt = $1 WHERE tokenHash = $2", each: meant) { (now, $0.tokenHash) }
    }

    private static func hash(_ token: String) -> [UInt8] { Sodium.sha256(token.utf8) }
}

/// A stored link, whose address and details are encrypted.
struct LinkRow: TableRow {
    var tokenHash: [UInt8]
    var kind: String
    var uid: UserID
    var content: [UInt8]?
    var createdAt: Instant
    var expiresAt: Instant
    var usedAt: Instant?

    static let table = Table<LinkRow>("link")

    static func map(_ column: inout ColumnMapper<LinkRow>) -> LinkRow {
        LinkRow(
            tokenHash: column("tokenHash", \.tokenHash, as: .key),
            kind: column("kind", \.kind),
            uid: column("uid", \.uid),
            content: column.sealed("content", \.content),
            createdAt: column("createdAt", \.createdAt),
            expiresAt: column("expiresAt", \.expiresAt),
            usedAt: column("usedAt", \.usedAt)
        )
    }

    /// The link; nil if the row's content can't be decoded.
    var link: Link? {
        guard let kind = Link.Kind(rawValue: kind),
            let object = content.flatMap({ try? JSONValue.parse($0).objectValue })
        else { return nil }
        return Link(
            kind: kind,
            uid: uid,
            address: object["address"]?.stringValue ?? "",
            detail: object["detail"]?.objectValue?.texts ?? [:],
            createdAt: createdAt,
            expiresAt: expiresAt,
            usedAt: usedAt
        )
    }
}
