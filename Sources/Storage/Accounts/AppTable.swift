import Credentials
package import Domain
package import JSON
import Sodium

/// Apps as operators imported them.
package struct AppTable: TransactionTable {
    let transaction: Transaction

    /// Returns all apps, by name.
    package func all() throws -> [App] { try sql.rows(of: AppRow.table, "ORDER BY name, appId").map(Self.app) }

    /// Returns one app, or nil.
    package func find(_ id: AppID) throws -> App? {
        try sql.find(AppRow.table, id).map(Self.app)
    }

    private static func app(_ row: AppRow) throws -> App {
        guard let object = try JSONValue.parse(row.document.bytes).objectValue else {
            throw Rejection(.internal, "A stored app document is not an object.")
        }
        return try AppCodec.decode(object)
    }

    /// Stores an app's document, which must not contain the secret, and the secret's hash if a secret is given.
    package func save(_ app: App, document: JSONObject, secret: String?) throws {
        let hash = secret.map { Sodium.sha256($0.utf8) }
        let row = AppRow(
            id: app.id,
            name: app.name,
            document: TextBytes(document.encoded()),
            secretHash: hash ?? [],
            createdAt: transaction.now,
            updatedAt: transaction.now
        )
        try sql.run(hash == nil ? AppRow.save : AppRow.saveWithSecret, row)
        if let digest = hash.flatMap({ Digest($0) }) {
            transaction.gate.records.append(.app(appId: app.id.text, secret: digest))
        }
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns when an app was first and last imported; nil if it doesn't exist.
    package func stamps(_ id: AppID) throws -> (createdAt: Instant, updatedAt: Instant)? {
        try sql.find(AppRow.table, id).map { ($0.createdAt, $0.updatedAt) }
    }

    /// Returns the imported document, without the secret.
    package func document(_ id: AppID) throws -> JSONObject? {
        try sql.find(AppRow.table, id).map { try JSONValue.parse($0.document.bytes).objectValue ?? [:] }
    }
}

/// A stored app: its document, and the hash of its secret.
struct AppRow: TableRow {
    var id: AppID
    var name: String
    var document: TextBytes
    /// Empty if the app has no secret.
    var secretHash: [UInt8]
    var createdAt: Instant
    var updatedAt: Instant

    static let table = Table<AppRow>("app")
    /// The statement that inserts a row, or updates the existing row except for its secret.
    static let save = table.upsert
    /// The statement that inserts a row, or updates the existing row including its secret.
    static let saveWithSecret = table.upserting([.changing, .apart])

    static func map(_ column: inout ColumnMapper<AppRow>) -> AppRow {
        AppRow(
            id: column("appId", \.id, as: .key),
            name: column("name", \.name, as: .changing),
            document: column("document", \.document, as: .changing),
            secretHash: column("secretHash", \.secretHash, as: .apart),
            createdAt: column("createdAt", \.createdAt),
            updatedAt: column("updatedAt", \.updatedAt, as: .changing)
        )
    }
}
