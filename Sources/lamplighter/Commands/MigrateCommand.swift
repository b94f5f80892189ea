import ArgumentParser
import JSON
import Service

/// `migrate`: brings the database to this version's schema.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract:
            "Bring the database to this version's schema; `up` and `serve` do it by themselves."
    )

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.existing(values.dataDirectory)
        // A migration under a running service would pull its tables away.
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        _ = try StoreAccess.service(directory)
        if output.json {
            Terminal.show(.object(JSONObject([("migrated", .string(directory.database))])))
        } else {
            print("\(directory.database) is at the schema of \(Version.text)")
        }
    }
}
