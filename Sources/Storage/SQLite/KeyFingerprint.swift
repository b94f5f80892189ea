import SQLite
package import Sodium

/// The fingerprint of the key that a database's secrets are hashed and sealed with.
///
/// It is stored at the database's first start, so that another key is refused instead of voiding all secrets.
enum KeyFingerprint {
    static let fact = "serverKey"

    /// Returns the fingerprint; nil if a database has no tables or was never opened by a service.
    static func read(_ database: SQLiteConnection) throws -> String? {
        guard try database.hasTable("meta") else { return nil }
        return try database.texts("SELECT value FROM meta WHERE name = ?", fact).first ?? nil
    }

    /// Returns a database's fingerprint; if it has none, first stores the key's.
    static func keep(_ key: ServerKey, in database: SQLiteConnection) throws -> String? {
        try database.transaction {
            if let known = try read(database) { return known }
            _ = try database.texts("INSERT INTO meta (name, value) VALUES (?, ?)", fact, key.fingerprint)
            return key.fingerprint
        }
    }
}

extension DatabaseCopy {
    /// Returns whether a key is the copied database's; true if the database has no fingerprint.
    package func isSealed(with key: ServerKey) throws -> Bool {
        let known = try withDatabase(KeyFingerprint.read)
        return known == nil || known == key.fingerprint
    }
}
