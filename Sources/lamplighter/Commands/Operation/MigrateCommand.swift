import Administration
import ArgumentParser
import Files
import JSON
import PostgreSQL
import Service
import ServiceSettings
import Storage

/// The command `migrate`, which brings the database to this version's schema, or moves it to another place.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Bring the database to this version's schema; `up` and `serve` do so automatically.",
        discussion: """
            lamplighter migrate --data /var/lib/lamplighter
            lamplighter migrate --data /var/lib/lamplighter --to postgres://lamplighter@db1/lamplighter

            If the database must be changed, it is first copied to lamplighter.db.before-VERSION in the same \
            folder. To go back, stop the service, replace lamplighter.db with the copy, remove \
            lamplighter.db-wal and -shm, and start the older version. Delete the copy once the new version has proved itself.

            With --to, everything is copied into an empty store, 10,000 rows at a time, and compared: the rows of each table and \
            their checksum are printed. The same command resumes an interrupted move. To move back: \
            `lamplighter migrate --store postgres://… --to sqlite:DIR`.
            """
    )

    @Flag(
        help:
            "Rewrite an older version's database so that its file can shrink; needs as much space again."
    )
    var compact = false

    @Option(
        help: ArgumentHelp(
            "Copy the stopped installation into an empty PostgreSQL database, or back into a directory.",
            valueName: "postgres://…|sqlite:DIR"
        )
    )
    var to: String?

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let values = try await settings.read()
        // If the store is on a database server, the data directory may not exist yet.
        let directory =
            values.database == nil
            ? try DataDirectory.existing(values) : try DataDirectory.prepare(values.dataDirectory)
        // The directory is locked, since a migration would change the tables of a running service.
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        var copy: String?
        let show = BackupProgress.shower(isSilent: output.json)
        if let to {
            let mover = try StoreMover(directory, values, to: to)
            return MovedTables(try mover.run(progress: show), to: mover.place).show(output)
        }
        let store = try StoreAccess.service(
            directory,
            StorePlace(values),
            copying: { try show("copying", $0) }
        ) {
            copy = $0
        }
        let place = values.database?.place ?? directory.database
        let isCompact = compact ? try store.makeShrinkable() : nil
        if output.json { return Terminal.show(json: ["migrated": place, "copy": copy, "compact": isCompact]) }
        if let copy { print("copied the database first: \(copy)") }
        print("\(place) is at the schema of \(Version.text)")
        guard let isCompact else { return }
        print(isCompact ? "its file can shrink" : "there is not enough space to rewrite the file")
    }
}
