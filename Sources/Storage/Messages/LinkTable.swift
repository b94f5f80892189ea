package import Domain
import JSON
import Sodium

/// Links that were sent: of each token only the digest is kept, and each works once.
package struct LinkTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }
    private static let columns = "kind, uid, content, expiresAt, usedAt, createdAt, tokenHash"

    /// Makes a link and gives its token, 256 random bits, which is kept nowhere.
    package func make(
        _ kind: Link.Kind,
        uid: UserID,
        address: String,
        detail: [String: String] = [:],
        expiresAt: Instant
    ) throws -> String {
        let token = Sodium.randomSecret()
        let content = JSONObject([
            ("address", .string(address)), ("detail", Self.encode(detail)),
        ])
        try sql.run(
            """
            INSERT INTO link (tokenHash, kind, uid, content, createdAt, expiresAt)
            VALUES ($1, $2, $3, $4, $5, $6)
            """
        ) {
            $0.add(bytes: Self.hash(token))
            $0.add(kind.rawValue)
            $0.add(uid.text)
            $0.add(bytes: transaction.key.seal(content.encoded()))
            $0.add(transaction.now.milliseconds)
            $0.add(expiresAt.milliseconds)
        }
        return token
    }

    /// Looks at a link without using it up, ended and used ones included; nil for an unknown token.
    package func find(_ token: String) throws -> Link? {
        try sql.query(
            "SELECT \(Self.columns) FROM link WHERE tokenHash = $1"
        ) {
            $0.add(bytes: Self.hash(token))
        } row: { row in
            Self.link(row, opening: transaction)
        }.first ?? nil
    }

    /// Uses a link up and gives it; nil when it is unknown, of another kind, over, or used before.
    ///
    /// Of any number of tries at once, exactly one gets it.
    package func use(_ kind: Link.Kind, _ token: String) throws -> Link? {
        try sql.run(
            """
            UPDATE link SET usedAt = $1
            WHERE tokenHash = $2 AND kind = $3 AND usedAt IS NULL AND expiresAt > $1
            """
        ) {
            $0.add(transaction.now.milliseconds)
            $0.add(bytes: Self.hash(token))
            $0.add(kind.rawValue)
        }
        return sql.changes == 1 ? try find(token) : nil
    }

    /// Voids all links of a kind that a user still has.
    package func void(_ kind: Link.Kind, of uid: UserID) throws {
        try sql.run(
            "UPDATE link SET usedAt = $1 WHERE uid = $2 AND kind = $3 AND usedAt IS NULL"
        ) {
            $0.add(transaction.now.milliseconds)
            $0.add(uid.text)
            $0.add(kind.rawValue)
        }
    }

    /// Voids a user's links of a kind that were made at a moment or later and that a test picks.
    package func void(
        _ kind: Link.Kind,
        of uid: UserID,
        since moment: Instant,
        where isMeant: (Link) -> Bool
    ) throws {
        let found = try sql.query(
            """
            SELECT \(Self.columns) FROM link
            WHERE uid = $1 AND kind = $2 AND createdAt >= $3 AND usedAt IS NULL
            """
        ) {
            $0.add(uid.text)
            $0.add(kind.rawValue)
            $0.add(moment.milliseconds)
        } row: { row in
            (hash: row.bytes(6), link: Self.link(row, opening: transaction))
        }
        let meant = found.filter { $0.link.map(isMeant) ?? true }
        try sql.run("UPDATE link SET usedAt = $1 WHERE tokenHash = $2", each: meant) {
            $0.add(transaction.now.milliseconds)
            $0.add(bytes: $1.hash)
        }
    }

    /// Erases all links of a user.
    package func erase(_ uid: UserID) throws {
        try sql.run("DELETE FROM link WHERE uid = $1") { $0.add(uid.text) }
    }

    /// Forgets links that ended before a moment, at most `limit`; returns how many.
    package func prune(before: Instant, limit: Int) throws -> Int {
        try sql.run(
            """
            DELETE FROM link WHERE tokenHash IN (
                SELECT tokenHash FROM link WHERE expiresAt < $1 ORDER BY expiresAt LIMIT $2)
            """
        ) {
            $0.add(before.milliseconds)
            $0.add(limit)
        }
        return sql.changes
    }

    private static func hash(_ token: String) -> [UInt8] { Sodium.sha256(token.utf8) }

    private static func encode(_ detail: [String: String]) -> JSONValue {
        .object(JSONObject(detail.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    private static func link(_ row: Row, opening transaction: Transaction) -> Link? {
        guard let kind = Link.Kind(rawValue: row.text(0)),
            let content = transaction.key.open(row.bytes(2)),
            let object = try? JSONValue.parse(content).objectValue
        else { return nil }
        let detail = object["detail"]?.objectValue?.members ?? []
        return Link(
            kind: kind,
            uid: UserID(trusted: row.text(1)),
            address: object["address"]?.stringValue ?? "",
            detail: Dictionary(
                detail.map { ($0.key, $0.value.stringValue ?? "") },
                uniquingKeysWith: { first, _ in first }
            ),
            createdAt: Instant(milliseconds: row.integer(5)),
            expiresAt: Instant(milliseconds: row.integer(3)),
            usedAt: row.optionalInteger(4).map { Instant(milliseconds: $0) }
        )
    }
}
