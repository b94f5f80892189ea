package import Files
package import PostgreSQL
import Problems

/// The setting that names a PostgreSQL database.
enum StoreSetting {
    /// The setting's key.
    static let key = "store"
    private static let schemes = ["postgres://", "postgresql://"]

    /// Checks the address of a database; if the address is invalid, throws a `Problem` that names the `origin`.
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
    /// The PostgreSQL database; nil if the store is the file in the data directory.
    package var database: PostgresAddress? { optional(StoreSetting.key).flatMap { try? PostgresAddress($0) } }
    /// Parses the address of a database other than the one in the settings; `origin` says where the address was given.
    ///
    /// - Throws: A `Problem` if the text isn't an address.
    package func database(named text: String, by origin: String) throws -> PostgresAddress {
        try StoreSetting.check(text, from: origin)
        return try PostgresAddress(text)
    }

    /// The file that the gate reads; nil if it is the file in the data directory, or if it is on another machine.
    package var gateFile: String? { isGateElsewhere ? nil : optional("gateFile") }
    /// Whether the gate's file is on another machine, where `lamplighter feed` writes it.
    package var isGateElsewhere: Bool { optional("gateFile") == "none" }
}

extension DataDirectory {
    /// Opens the existing data directory that the settings name, for commands that work on it.
    ///
    /// The directory must also contain the store's file, unless the store is on a database server.
    /// - Throws: A `Problem` if the directory can't be used, or if the directory, or a store's file that it must
    ///   contain, doesn't exist.
    package static func existing(_ settings: Settings) throws -> DataDirectory {
        try existing(settings.dataDirectory, holdsStore: settings.database == nil)
    }
}
