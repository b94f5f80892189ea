import ArgumentParser
import Backups
import Files
import PostgreSQL
import Problems
import Service
import ServiceSettings
import Storage
import Workers

/// The commands `backup …`, which make and verify backups.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the database, keys and secrets into one file, while the service runs.",
        discussion: """
            lamplighter backup /mnt/nas/lamplighter.backup
            lamplighter backup verify /mnt/nas/lamplighter.backup
            lamplighter restore /mnt/nas/lamplighter.backup --data /srv/lamplighter

            With the settings backup.directory, backup.every and backup.keep, the service makes backups \
            automatically. Anyone who can read an unencrypted backup can do everything: protect it as you \
            protect the data directory.
            """,
        subcommands: [BackupMakeCommand.self, BackupVerifyCommand.self],
        defaultSubcommand: BackupMakeCommand.self
    )
}

/// The command `backup make FILE`, or `backup FILE`, which makes one backup.
struct BackupMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a backup and read it back; `backup FILE` means the same.",
        discussion: "lamplighter backup make /mnt/nas/lamplighter.backup"
    )

    @Argument(help: "The file to create; an existing one is not overwritten.")
    var file: String

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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

/// The command `backup verify FILE`, which checks that a backup is complete and undamaged.
struct BackupVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Open a whole backup, and check each page of its database.",
        discussion: "lamplighter backup verify /mnt/nas/lamplighter.backup"
    )

    @Argument(help: "The backup.")
    var file: String

    @Option(help: "Temporary directory for the database (default: the backup's directory).") var scratch: String?

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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

/// The command `restore FILE`, which creates a data directory from a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Create a data directory from a backup; nothing is overwritten.",
        discussion: """
            lamplighter restore /mnt/nas/lamplighter.backup --data /srv/lamplighter

            Devices and apps continue with their secrets and tokens. Sessions that ended after the backup \
            are open again. With --end-sessions, all sessions end and all users log in again.
            """
    )

    @Argument(help: "The backup.")
    var file: String

    @Flag(help: "End all sessions, including those that were open when the backup was made.")
    var endSessions = false

    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

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
