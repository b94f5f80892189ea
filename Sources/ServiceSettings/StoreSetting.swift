package import Files
package import PostgreSQL
import Problems

/// The setting that names a database of PostgreSQL's.
enum StoreSetting {
    /// Its key; an address never shows what could be a secret in it.
    static let key = "store"
    private static let schemes = ["postgres://", "postgresql://"]

    /// Returns what is wrong with an address from a place; nil where nothing is.
    static func problem(with text: String, from origin: String) -> Problem? {
        guard !text.isEmpty else { return nil }
        guard schemes.contains(where: text.hasPrefix) else {
            return malformed(origin, "it does not begin with postgres://")
        }
        do throws(PostgresAddress.Fault) {
            _ = try PostgresAddress(text)
            return nil
        } catch {
            return switch error {
            case .malformed: malformed(origin, "it can't be read as an address of PostgreSQL's")
            case .hasPassword: withPassword(origin)
            }
        }
    }

    private static func withPassword(_ origin: String) -> Problem {
        Problem(
            .storePassword,
            "the address of the store holds a password (\(origin))",
            at: origin,
            why: "lists of processes, logs and backups of settings would show it",
            cures: [
                .init("--set postgres.passwordFile=FILE", "a file of mode 0600 with it"),
                .init("~/.pgpass", "HOST:PORT:DATABASE:USER:PASSWORD, of mode 0600"),
            ]
        )
    }

    private static func malformed(_ origin: String, _ why: String) -> Problem {
        Problem(
            .settingInvalid,
            "store is not the address of a database (\(origin))",
            at: origin,
            why: why,
            cures: [
                .init("--store postgres://USER@HOST/DATABASE", "HOST1,HOST2 for several"),
                .init("--store ''", "the file of the data directory"),
            ]
        )
    }
}

extension Settings {
    /// The database of PostgreSQL's; nil where the store is the file of the data directory.
    package var database: PostgresAddress? {
        optional(StoreSetting.key).flatMap { try? PostgresAddress($0) }
    }
    /// The most connections of this process to the database.
    package var databaseConnections: Int { integer("postgres.connections") }
    /// Reads the address of another database than the settings' own, from a place.
    ///
    /// - Throws: A `Problem` where it is none.
    package func database(named text: String, by origin: String) throws -> PostgresAddress {
        if let problem = StoreSetting.problem(with: text, from: origin) { throw problem }
        return try PostgresAddress(text)
    }

    /// Whether no two transactions that write run at once in the database.
    package var isOneWriter: Bool { flag("postgres.oneWriter") }
    /// File with the password for the database; nil where libpq finds one, or needs none.
    package var databasePasswordFile: String? { optional("postgres.passwordFile") }
    /// File with the key that seals secrets; nil for that of the data directory.
    package var serverKeyFile: String? { optional("serverKeyFile") }
    /// File that the gate reads; nil for that of the data directory, and where it is on another machine.
    package var gateFile: String? { isGateElsewhere ? nil : optional("gateFile") }
    /// Whether the gate's file is on another machine, where `lamplighter feed` keeps it.
    package var isGateElsewhere: Bool { optional("gateFile") == "none" }
    /// Name of this process among several that share a database; nil for one made of its machine's.
    package var processName: String? { optional("processName") }
    /// File with the workers' password at the broker; nil for that of the data directory.
    package var serviceSecretFile: String? { optional("serviceSecretFile") }
}

extension DataDirectory {
    /// Takes the directory that settings name, which must exist, for commands that work on it.
    ///
    /// It holds the store's file, unless the store is a database elsewhere.
    /// - Throws: A `Problem` where there is none.
    package static func existing(_ settings: Settings) throws -> DataDirectory {
        try existing(settings.dataDirectory, holdsStore: settings.database == nil)
    }
}
