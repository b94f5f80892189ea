import SQLite
package import Sodium

/// The fingerprint of the key with which a database's secrets are hashed and encrypted.
///
/// The first start stores the fingerprint. A later start with another key fails, since all secrets would be invalid.
enum KeyFingerprint {
    static let fact = "serverKey"

    /// Returns a database's fingerprint, or nil if no service has opened the database.
    static func read(_ database: SQLiteConnection) throws -> String? {
        guard try database.hasTable("meta") else { return nil }
        return try database.texts("SELECT value FROM meta WHERE name = ?", fact).first ?? nil
    }

    /// Returns a database's fingerprint; if the database has none, the fingerprint of `key` is stored first.
    static func keep(_ key: ServerKey, in database: SQLiteConnection) throws -> String? {
        try database.transaction {
            if let known = try read(database) { return known }
            _ = try database.texts("INSERT INTO meta (name, value) VALUES (?, ?)", fact, key.fingerprint)
            return key.fingerprint
        }
    }
}

extension DatabaseCopy {
    /// Returns whether a key belongs to the copy; if the copy has no fingerprint, every key does.
    package func isSealed(with key: ServerKey) throws -> Bool {
        let known = try withDatabase(KeyFingerprint.read)
        return known == nil || known == key.fingerprint
    }
}
