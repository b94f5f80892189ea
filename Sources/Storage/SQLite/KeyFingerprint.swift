import GRDB
package import Sodium

/// The fingerprint of the key that a database's secrets are hashed and sealed with.
///
/// It stands in the database since its first start, so that another key is refused instead of voiding them all.
enum KeyFingerprint {
    static let fact = "serverKey"

    /// Returns the fingerprint; nil in a database that has no tables or was never opened by a service.
    static func read(_ database: Database) throws -> String? {
        guard try database.tableExists("meta") else { return nil }
        return try String.fetchOne(
            database,
            sql: "SELECT value FROM meta WHERE name = ?",
            arguments: [fact]
        )
    }

    /// Notes the key's fingerprint in a database that has none.
    static func write(_ key: ServerKey, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO meta (name, value) VALUES (?, ?)",
            arguments: [fact, key.fingerprint]
        )
    }
}

extension DatabaseCopy {
    /// Returns whether a key is that of the copied database; true where the database does not say.
    package func isSealed(with key: ServerKey) throws -> Bool {
        let known = try withDatabase(KeyFingerprint.read)
        return known == nil || known == key.fingerprint
    }
}
