import Backups
import Files
import PostgreSQL
import Problems
import Service
import ServiceSettings
import Storage
import Workers

extension BackupMakeCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard place.store.isFile else { throw Problem.backupOnServer(database: place.store.summary) }
        let report = try Backup(of: place.directory, version: Version.text).make(
            at: file,
            passphrase: try passphrase.read(isNew: true),
            from: place.store,
            now: SystemClock().now,
            progress: BackupProgress.shower(isSilent: output.json)
        )
        BackupProgress.show(report, AbsolutePath.of(file), as: "made", output: output)
    }
}

extension BackupVerifyCommand {
    func run() async throws {
        let report = try Backup.verify(
            file,
            passphrase: try passphrase.read(isNew: false),
            scratch: scratch,
            progress: BackupProgress.shower(isSilent: output.json)
        )
        BackupProgress.show(report, AbsolutePath.of(file), as: "whole", output: output)
    }
}

extension RestoreCommand {
    func run() async throws {
        let values = try await settings.read()
        if let database = values.database { throw Problem.backupOnServer(database: database.place) }
        let (path, report) = try DataDirectory.filling(values.dataDirectory) { directory in
            let report = try Backup.restore(
                file,
                into: directory,
                passphrase: try passphrase.read(isNew: false),
                endsSessions: endSessions,
                now: SystemClock().now,
                progress: BackupProgress.shower(isSilent: output.json)
            )
            return (directory.path, report)
        }
        BackupProgress.show(report, path, as: "restored", output: output)
        guard !output.json else { return }
        Terminal.tell("start it: lamplighter up --data '\(path)'")
    }
}
