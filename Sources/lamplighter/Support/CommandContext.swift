import Domain
import Files
import Problems
import Service
import ServiceSettings
import Storage

/// The settings, the data directory and the store that a command uses, whether or not a service is running.
struct CommandContext {
    let settings: Settings
    let directory: DataDirectory
    let store: Store

    /// Opens the store of the data directory that the flags name.
    static func open(_ options: SettingsOptions) async throws -> CommandContext { try open(try await options.read()) }

    /// Opens the store of the data directory that the settings name.
    static func open(_ settings: Settings) throws -> CommandContext {
        let directory = try DataDirectory.existing(settings)
        return CommandContext(
            settings: settings,
            directory: directory,
            store: try StoreAccess.tool(directory, StorePlace(settings))
        )
    }
}

extension CommandContext {
    /// Returns the record with the id that was given on the command line.
    ///
    /// - Throws: A `Problem` if the text isn't an id, or if `find` returns nil.
    func find<Kind, Found>(
        _ noun: String,
        _ text: String,
        find: (Identifier<Kind>, Transaction) throws -> Found?
    ) throws -> Found {
        let found = try Identifier<Kind>(text).flatMap { id in
            try store.read { try find(id, $0) }
        }
        guard let found else { throw missing(noun, text) }
        return found
    }
}
