import Backups
import CoreMetrics
import Domain
import Files
import Glibc
import Logging
import Metrics
import Problems
import ServiceLifecycle
import ServiceSettings
package import Storage
import Synchronization
import Web
import Workers

/// A service that makes backups at the configured interval and keeps the newest backups.
///
/// The time of the next backup is computed from the file names of the existing backups. So a restart neither skips nor
/// repeats a backup.
final class BackupTask: Service {
    private let settings: Settings
    private let directory: DataDirectory
    private let store: Store
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private let failures = Counter(label: "lamplighter_backup_failures_total")

    /// The number of seconds until the next attempt after a failure.
    private static let retrySeconds = 600
    private static let pauseMicroseconds: UInt32 = 200_000

    /// Prepares the backups of a store.
    init(_ context: RunContext, _ store: Store) {
        settings = context.settings
        directory = context.directory
        self.store = store
        logger = Logger(label: "lamplighter.backup")
    }

    /// Registers a gauge of the newest backup's age, updated at each scrape.
    static func install(in registry: PrometheusRegistry, _ directory: DataDirectory) {
        registry.addSampler { [unowned registry] in
            guard let note = BackupNote(of: directory) else { return }
            // Without a backup there is no gauge, because it would show 0.
            Meter(label: "lamplighter_backup_age_seconds", factory: registry)
                .set(note.age(at: SystemClock().now))
        }
    }

    func run() async throws {
        guard let folder = settings.backupDirectory else {
            unlink(directory.backupFailure)
            try? await gracefulShutdown()
            return
        }
        await withTaskCancellationOrGracefulShutdownHandler {
            await PlainThread.run { self.work(AbsolutePath.of(folder)) }
        } onCancelOrGracefulShutdown: {
            self.isStopping.store(true, ordering: .releasing)
        }
    }

    private func work(_ folder: String) {
        let interval = Int64(settings.backupSeconds)
        let retry = Int64(min(Self.retrySeconds, settings.backupSeconds))
        var due = next(in: folder)
        while !isStopping.load(ordering: .acquiring) {
            let now = SystemClock().now
            // If the clock was set back, `due` can be more than one interval away. A backup is then made at once.
            if now >= due || due > now.adding(seconds: interval) {
                due = make(in: folder, at: now) ? next(in: folder) : now.adding(seconds: retry)
            }
            usleep(Self.pauseMicroseconds)
        }
    }

    /// Returns the time when the next backup is due, or the beginning of 1970 if the folder has no backup.
    private func next(in folder: String) -> Instant {
        names(in: folder).last.flatMap(BackupName.time)?
            .adding(seconds: Int64(settings.backupSeconds)) ?? Instant(milliseconds: 0)
    }

    private func make(in folder: String, at now: Instant) -> Bool {
        let path = folder + "/" + BackupName.of(now)
        do {
            try Self.make(at: path, settings, directory, from: store, now: now) {
                if isStopping.load(ordering: .acquiring) { throw CancellationError() }
            }
            return true
        } catch is CancellationError {
            return true
        } catch {
            failures.increment()
            let reason = (error as? Problem)?.message ?? "\(error)"
            try? TextFile.write(bytes: Array(reason.utf8), to: directory.backupFailure)
            logger.error("A backup failed", metadata: ["path": "\(path)", "error": "\(reason)"])
            return false
        }
    }

    private func names(in folder: String) -> [String] { Self.names(in: folder) }

    fileprivate static func backUp(
        _ context: RunContext,
        from store: Store,
        at path: String,
        now: Instant
    ) throws {
        try make(at: path, context.settings, context.directory, from: store, now: now) {}
    }

    private static func names(in folder: String) -> [String] {
        TextFile.names(in: folder).filter { BackupName.time(of: $0) != nil }
    }

    /// Makes one backup, reads it back, and deletes the oldest backups beyond the configured number.
    private static func make(
        at path: String,
        _ settings: Settings,
        _ directory: DataDirectory,
        from store: Store,
        now: Instant,
        progress: () throws -> Void
    ) throws {
        try TextFile.makeFolders(of: path)
        let passphrase = try settings.backupPassphraseFile.map { try Passphrase.read(file: $0) }
        let report = try Backup(of: directory, version: Version.text).make(
            at: path,
            passphrase: passphrase,
            from: store,
            now: now
        ) { _, _ in try progress() }
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
        for name in names(in: folder).dropLast(settings.backupsKept) {
            unlink(folder + "/" + name)
        }
        Logger(label: "lamplighter.backup").notice(
            "A backup was made and read back",
            metadata: ["path": "\(path)", "bytes": "\(report.bytes)"]
        )
    }
}

/// A backup that an operator requests, written to the folder of the regular backups.
package enum BackupNow {
    /// Makes a backup while the service is running, and returns its path.
    ///
    /// - Throws: A `Problem`, for example if `backup.directory` is not set.
    package static func make(_ context: RunContext, from store: Store) throws -> String {
        guard let folder = context.settings.backupDirectory else { throw Problem.noBackupDirectory() }
        let now = SystemClock().now
        let path = AbsolutePath.of(folder) + "/" + BackupName.of(now)
        try BackupTask.backUp(context, from: store, at: path, now: now)
        return path
    }
}

/// The backups' names, which sort by time, such as `lamplighter-20261123T160439Z.backup`.
enum BackupName {
    /// Returns the name of a backup that is made at the given time.
    static func of(_ time: Instant) -> String {
        var seconds = time_t(time.milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return String(unsafeUninitializedCapacity: 64) { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map {
                    strftime($0, characters.count, "lamplighter-%Y%m%dT%H%M%SZ.backup", &parts)
                } ?? 0
            }
        }
    }

    /// Returns the time in a backup's name, or nil for any other file.
    static func time(of name: String) -> Instant? {
        let digits = name.filter(\.isNumber)
        guard digits.count == 14, let number = Int(digits) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon) = (Int32(number / 10_000_000_000) - 1900, Int32(number / 100_000_000 % 100) - 1)
        (parts.tm_mday, parts.tm_hour) = (Int32(number / 1_000_000 % 100), Int32(number / 10_000 % 100))
        (parts.tm_min, parts.tm_sec) = (Int32(number / 100 % 100), Int32(number % 100))
        let time = Instant(milliseconds: Int64(timegm(&parts)) * 1000)
        // If the function `of` makes another name from this time, the file isn't one of the service's backups.
        return of(time) == name ? time : nil
    }
}
