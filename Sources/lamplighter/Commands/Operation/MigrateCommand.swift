import ArgumentParser
import JSON
import Service
import Storage

/// `migrate`: brings the database to this version's schema.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract:
            "Bring the database to this version's schema; `up` and `serve` do it by themselves."
    )

    @Flag(
        help:
            "Rewrite a database of an older version, so that its file can shrink; takes as much room again."
    )
    var compact = false

    @OptionGroup var settings: SettingsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.existing(values.dataDirectory)
        // A migration under a running service would pull its tables away.
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let store = try StoreAccess.service(directory)
        let isCompact = compact ? try store.makeShrinkable() : nil
        if output.json {
            let told = JSONObject([
                ("migrated", .string(directory.database)), ("compact", isCompact.map { .bool($0) }),
            ])
            return Terminal.show(.object(told))
        }
        print("\(directory.database) is at the schema of \(Version.text)")
        guard let isCompact else { return }
        print(isCompact ? "its file can shrink" : "there is no room to rewrite it")
    }
}
