package import Files
package import PostgreSQL
import Problems

/// The setting that names a PostgreSQL database.
enum StoreSetting {
    /// The setting's key.
    static let key = "store"
    private static let schemes = ["postgres://", "postgresql://"]

    /// Throws a `Problem` that names the `origin` if a database's address is invalid.
    static func check(_ text: String, from origin: String) throws {
        guard !text.isEmpty else { return }
        guard schemes.contains(where: text.hasPrefix) else {
            throw Problem.storeMalformed(origin: origin, why: "it does not begin with postgres://")
        }
        do throws(PostgresAddress.Fault) {
            _ = try PostgresAddress(text)
        } catch .malformed {
            throw Problem.storeMalformed(origin: origin, why: "it can't be parsed as a PostgreSQL address")
        } catch .hasPassword {
            throw Problem.storePassword(origin: origin)
        }
    }
}

extension Settings {
    /// The PostgreSQL database, or nil if the store is the file in the data directory.
    package var database: PostgresAddress? { optional(StoreSetting.key).flatMap { try? PostgresAddress($0) } }
    /// Parses the address of a database other than the one in the settings; `origin` says where the address was given.
    ///
    /// - Throws: A `Problem` if the text isn't an address.
    package func database(named text: String, by origin: String) throws -> PostgresAddress {
        try StoreSetting.check(text, from: origin)
        return try PostgresAddress(text)
    }

    /// The gate's file if the settings name one on this machine, otherwise nil.
    package var gateFile: String? { isGateElsewhere ? nil : optional("gateFile") }
    /// Whether the gate's file is on another machine, where `lamplighter feed` writes it.
    package var isGateElsewhere: Bool { optional("gateFile") == "none" }
}

extension DataDirectory {
    /// Opens the existing data directory that the settings name, for commands that work on it.
    ///
    /// The directory must also contain the store's file, unless the store is on a database server.
    /// - Throws: A `Problem` if the directory or its store's file is missing or unusable.
    package static func existing(_ settings: Settings) throws -> DataDirectory {
        try existing(settings.dataDirectory, holdsStore: settings.database == nil)
    }
}
