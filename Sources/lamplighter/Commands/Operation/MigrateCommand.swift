import Administration
import Files
import JSON
import PostgreSQL
import Service
import ServiceSettings
import Storage

extension MigrateCommand {
    func run() async throws {
        let values = try await settings.read()
        // If the store is on a database server, the data directory might not exist yet.
        let directory =
            values.database == nil
            ? try DataDirectory.existing(values) : try DataDirectory.prepare(values.dataDirectory)
        // The directory is locked, so that no service can run during the migration.
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
