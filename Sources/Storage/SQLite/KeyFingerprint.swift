import GRDB
package import Sodium

/// The fingerprint of the key that a database's secrets are hashed and sealed with.
///
/// It is stored at the database's first start, so that another key is refused instead of voiding
/// all secrets.
enum KeyFingerprint {
    static let fact = "serverKey"

    /// Returns the fingerprint; nil if a database has no tables or was never opened by a service.
    static func read(_ database: Database) throws -> String? {
        guard try database.tableExists("meta") else { return nil }
        return try String.fetchOne(
            database,
            sql: "SELECT value FROM meta WHERE name = ?",
            arguments: [fact]
        )
    }

    /// Stores the key's fingerprint in a database without one.
    static func write(_ key: ServerKey, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO meta (name, value) VALUES (?, ?)",
            arguments: [fact, key.fingerprint]
        )
    }
}

extension DatabaseCopy {
    /// Returns whether a key is the copied database's; true if the database has no fingerprint.
    package func isSealed(with key: ServerKey) throws -> Bool {
        let known = try withDatabase(KeyFingerprint.read)
        return known == nil || known == key.fingerprint
    }
}
