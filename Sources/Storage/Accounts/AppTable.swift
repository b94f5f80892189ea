import Credentials
package import Domain
package import JSON
import Sodium
import Wire

/// Apps as operators imported them.
package struct AppTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// Returns all apps, by name.
    package func all() throws -> [App] {
        try sql.query("SELECT document FROM app ORDER BY name, appId") {
            try Self.app($0.next(String.self))
        }
    }

    /// Returns one app, or nil.
    package func find(_ id: AppID) throws -> App? {
        try sql.first("SELECT document FROM app WHERE appId = $1", id) {
            try Self.app($0.next(String.self))
        }
    }

    private static func app(_ document: String) throws -> App {
        guard let object = try JSONValue.parse(Array(document.utf8)).objectValue else {
            throw Rejection(.internal, "A stored app document is not an object.")
        }
        return try AppCodec.decode(object)
    }

    /// Stores an app's document, from which the secret has been removed, and the secret if one is given.
    package func save(_ app: App, document: JSONObject, secret: String?) throws {
        let hash = secret.map { Sodium.sha256($0.utf8) }
        try sql.run(
            """
            INSERT INTO app (appId, name, document, secretHash, createdAt, updatedAt)
            VALUES ($1, $2, $3, $4, $5, $5)
            ON CONFLICT (appId) DO UPDATE SET
                name = excluded.name, document = excluded.document,
                secretHash = CASE WHEN length(excluded.secretHash) = 0
                    THEN app.secretHash ELSE excluded.secretHash END,
                updatedAt = excluded.updatedAt
            """,
            app.id,
            app.name,
            TextBytes(document.encoded()),
            hash ?? [],
            transaction.now
        )
        if let digest = hash.flatMap({ Digest($0) }) {
            transaction.gate.records.append(.app(appId: app.id.text, secret: digest))
        }
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns the document as it was imported, without the secret.
    package func document(_ id: AppID) throws -> JSONObject? {
        try sql.first("SELECT document FROM app WHERE appId = $1", id) {
            try JSONValue.parse(Array($0.next(String.self).utf8)).objectValue ?? [:]
        }
    }
}
