import Credentials
package import Domain
package import JSON
import Sodium

/// The apps that operators have imported.
package struct AppTable: TransactionTable {
    let transaction: Transaction

    /// Returns all apps, sorted by name.
    package func all() throws -> [App] { try sql.rows(of: AppRow.table, "ORDER BY name, appId").map(Self.app) }

    /// Returns one app; nil if there is no such app.
    package func find(_ id: AppID) throws -> App? {
        try sql.find(AppRow.table, id).map(Self.app)
    }

    private static func app(_ row: AppRow) throws -> App { try AppCodec.decode(try row.whole) }

    /// Stores an app's document without the app's own secret.
    ///
    /// If `secret` is given, its hash is stored too; otherwise, the stored hash is kept. The secrets of providers and
    /// push services are stored encrypted.
    package func save(_ app: App, document: JSONObject, secret: String?) throws {
        let hash = secret.map { Sodium.sha256($0.utf8) }
        let row = AppRow(
            id: app.id,
            name: app.name,
            document: TextBytes(AppSecrets.removed(from: document).encoded()),
            secrets: AppSecrets.only(in: document).encoded(),
            secretHash: hash ?? [],
            createdAt: now,
            updatedAt: now
        )
        try sql.run(hash == nil ? AppRow.save : AppRow.saveWithSecret, row)
        if let digest = hash.flatMap({ Digest($0) }) {
            transaction.gate.records.append(.app(appId: app.id.text, secret: digest))
        }
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns when an app was first and last imported, or nil if the app was never imported.
    package func stamps(_ id: AppID) throws -> (createdAt: Instant, updatedAt: Instant)? {
        try sql.find(AppRow.table, id).map { ($0.createdAt, $0.updatedAt) }
    }

    /// Returns the digest of an app's secret, empty if there is no secret.
    package func secretHash(_ id: AppID) throws -> [UInt8] { try sql.find(AppRow.table, id)?.secretHash ?? [] }

    /// Returns the imported document, with all secrets except the app's own secret.
    package func document(_ id: AppID) throws -> JSONObject? { try sql.find(AppRow.table, id).map { try $0.whole } }
}

/// A stored app: its document, and the hash of its secret.
struct AppRow: TableRow {
    var id: AppID
    var name: String
    var document: TextBytes
    /// The document's secrets as JSON, stored encrypted (nil in rows that an earlier version of the program wrote).
    var secrets: [UInt8]?
    /// The hash of the app's secret, empty if the app has no secret.
    var secretHash: [UInt8]
    var createdAt: Instant
    var updatedAt: Instant

    static let table = Table<AppRow>("app")
    /// The statement that inserts a row, or updates the existing row but keeps its `secretHash`.
    static let save = table.upsert
    /// The statement that inserts a row, or updates the existing row and its `secretHash`.
    static let saveWithSecret = table.upserting([.changing, .apart])

    static func map(_ column: inout ColumnMapper<AppRow>) -> AppRow {
        AppRow(
            id: column("appId", \.id, as: .key),
            name: column("name", \.name, as: .changing),
            document: column("document", \.document, as: .changing),
            secrets: column.sealed("secrets", \.secrets, as: .changing),
            secretHash: column("secretHash", \.secretHash, as: .apart),
            createdAt: column("createdAt", \.createdAt),
            updatedAt: column("updatedAt", \.updatedAt, as: .changing)
        )
    }

    /// The document with its secrets.
    var whole: JSONObject {
        get throws {
            guard let object = try JSONValue.parse(document.bytes).objectValue else {
                throw Rejection(.internal, "A stored app document is not an object.")
            }
            let secrets = try secrets.flatMap { try JSONValue.parse($0).objectValue } ?? [:]
            return AppSecrets.completed(object, from: secrets)
        }
    }
}
