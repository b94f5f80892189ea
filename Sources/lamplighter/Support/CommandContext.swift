import ArgumentParser
import Files
import Service
import ServiceSettings
import Storage

/// A data directory that a command works on, beside the service that may be running there.
struct CommandContext {
    let settings: Settings
    let directory: DataDirectory
    let store: Store

    /// Opens the store of the directory that the flags name.
    static func open(_ options: SettingsOptions) async throws -> CommandContext {
        try open(try await options.read())
    }

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
