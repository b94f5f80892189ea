import Domain
import Files
import Problems
import Service
import ServiceSettings
import Storage

/// A data directory that a command works on, with or without a running service.
struct CommandContext {
    let settings: Settings
    let directory: DataDirectory
    let store: Store

    /// Opens the store of the directory that the flags name.
    static func open(_ options: SettingsOptions) async throws -> CommandContext { try open(try await options.read()) }

    /// Opens the store of the directory that settings name.
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
    /// Finds a record by the id that a user gives.
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
