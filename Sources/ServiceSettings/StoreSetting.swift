package import Files
package import PostgreSQL
import Problems

/// The setting that names a PostgreSQL database.
enum StoreSetting {
    /// The setting's key; an invalid address is never shown, since it could contain a secret.
    static let key = "store"
    private static let schemes = ["postgres://", "postgresql://"]

    /// Returns the problem with an address; nil if the address is valid.
    ///
    /// The problem names `origin`, which says where the address was given.
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
            case .malformed: malformed(origin, "it can't be parsed as a PostgreSQL address")
            case .hasPassword: withPassword(origin)
            }
        }
    }

    private static func withPassword(_ origin: String) -> Problem {
        Problem(
            .storePassword,
            "the address of the store contains a password (\(origin))",
            at: origin,
            why: "process lists, logs and backups of settings would show the password",
            cures: [
                .init("--set postgres.passwordFile=FILE", "a file of mode 0600 with the password"),
                .init("~/.pgpass", "of mode 0600, with a line HOST:PORT:DATABASE:USER:PASSWORD"),
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
    /// The PostgreSQL database; nil if the store is the file in the data directory.
    package var database: PostgresAddress? { optional(StoreSetting.key).flatMap { try? PostgresAddress($0) } }
    /// Parses the address of a database other than the one in the settings; `origin` says where the address was given.
    ///
    /// - Throws: A `Problem` if the text isn't an address.
    package func database(named text: String, by origin: String) throws -> PostgresAddress {
        if let problem = StoreSetting.problem(with: text, from: origin) { throw problem }
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
    /// The directory contains the store's file, unless the store is on a database server.
    /// - Throws: A `Problem` if the directory doesn't exist.
    package static func existing(_ settings: Settings) throws -> DataDirectory {
        try existing(settings.dataDirectory, holdsStore: settings.database == nil)
    }
}
