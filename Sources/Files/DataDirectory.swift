import Glibc
import Problems
import SystemPackage

/// The directory with all data of a service, and the names of its files.
package struct DataDirectory: Sendable {
    /// The directory's absolute path.
    package let path: String
    /// Whether this process has just made it.
    package let isNew: Bool

    /// The database.
    package var database: String { path + "/lamplighter.db" }
    /// The key that seals secrets at rest; 32 bytes.
    package var serverKey: String { path + "/server.key" }
    /// The password of `service:lamplighter`, the workers' principal.
    package var serviceSecret: String { path + "/service.secret" }
    /// The password of `service:tools`, the principal of commands and tests.
    package var toolsSecret: String { path + "/tools.secret" }
    /// Keys and secrets of the demo product and app.
    package var demo: String { path + "/demo.json" }
    /// The note of the newest backup that was read back.
    package var backupNote: String { path + "/backup.json" }
    /// The reason why the service's last backup failed; absent after a successful backup.
    package var backupFailure: String { path + "/backup.failed" }

    /// The files that a backup holds besides the database, by their names below the directory.
    ///
    /// They are keys, secrets and certificates; all other files are made again.
    package var keptFiles: [String] {
        let secrets = ["server.key", "service.secret", "tools.secret", "demo.json"]
        let certificates = TextFile.names(in: path + "/tls").map { "tls/" + $0 }
        return (secrets + certificates).filter {
            (try? Stat(path + "/" + $0))?.type == .regular
        }
    }

    /// The file that the gate reads.
    package var credentials: String { path + "/gate/credentials" }
    /// The addresses of the clients behind the WebSocket relay's connections, which the gate reads.
    package var relayedAddresses: String { path + "/gate/websocket.addresses" }
    /// The lock of the running service.
    package var lock: String { path + "/lock" }
    /// The id of this run's process, or the previous run's, among processes that share a database.
    package var process: String { path + "/process" }
    /// The ports and credentials; present while everything accepts work.
    package var ready: String { path + "/ready.json" }
    /// The broker's configuration.
    package var brokerConfiguration: String { path + "/broker/mosquitto.conf" }
    /// The broker's process id.
    package var brokerPID: String { path + "/broker/mosquitto.pid" }
    /// The broker's log.
    package var brokerLog: String { path + "/broker/mosquitto.log" }

    /// Copies of the broker's certificate and key, and of the authority of devices' certificates, so that the broker
    /// never reads halves of two pairs.
    package var brokerTLS: TLSFiles {
        TLSFiles(
            certificate: path + "/broker/server.pem",
            key: path + "/broker/server.key",
            authority: path + "/broker/authority.pem"
        )
    }

    /// The certificates and keys that `lamplighter tls init` makes.
    package var ownTLS: TLSFiles { TLSFiles.own(in: path) }
    /// The key of the authority that `lamplighter tls init` makes; it signs servers' and devices' certificates.
    package var authorityKey: String { path + "/tls/authority.key" }
    /// The certificates by which clients that trust an older authority also trust the present one.
    package var authorityLinks: String { path + "/tls/authority.links.pem" }

    /// Makes the directory (mode 0700) and its folders, or checks that it can be used.
    ///
    /// - Throws: A `Problem` if that fails.
    package static func prepare(_ name: String) throws -> DataDirectory {
        let path = AbsolutePath.of(name)
        guard !path.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw unusable(path, "its name has control characters")
        }
        let isNew = try make(path)
        for folder in ["gate", "broker"] { _ = try make(path + "/" + folder) }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw forbidden(path)
        }
        return DataDirectory(path: path, isNew: isNew)
    }

    /// Prepares and locks a directory, and fills it; on failure, removes the lock and empty folders it made.
    ///
    /// - Throws: A `Problem` if it can't be used, or the error of `fill`.
    package static func filling<Result>(_ name: String, _ fill: (DataDirectory) throws -> Result) throws -> Result {
        let before = Set(TextFile.names(in: AbsolutePath.of(name)))
        let directory = try prepare(name)
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        do {
            return try fill(directory)
        } catch {
            if !before.contains("lock") { unlink(directory.lock) }
            // Removes only empty folders.
            for folder in ["gate", "broker", "tls"] where !before.contains(folder) {
                rmdir(directory.path + "/" + folder)
            }
            if directory.isNew { rmdir(directory.path) }
            throw error
        }
    }

    /// Returns a directory that must exist already, for commands that work on it.
    ///
    /// If it need not hold the store, only the directory itself must exist.
    /// - Throws: A `Problem` if it is missing or unusable.
    package static func existing(_ name: String, holdsStore: Bool) throws -> DataDirectory {
        let directory = DataDirectory(path: AbsolutePath.of(name), isNew: false)
        let wanted = holdsStore ? directory.database : directory.path
        guard TextFile.exists(wanted) else {
            // A file that this user can't see may still exist.
            if access(wanted, F_OK) != 0, errno == EACCES {
                throw Problem.directoryUnreadable(directory: directory.path)
            }
            throw Problem.dataMissing(
                directory: directory.path,
                why: holdsStore ? "lamplighter.db does not exist" : "it does not exist"
            )
        }
        guard access(directory.path, R_OK | W_OK | X_OK) == 0 else { throw forbidden(directory.path) }
        return directory
    }

    /// Restricts the database's files to their owner, in a directory that others may also enter.
    ///
    /// It runs before SQLite, which gives the files that it makes beside the database the database's mode. A failure is
    /// ignored: SQLite reports its cause, or the files are another user's.
    package func narrowDatabase() {
        if !TextFile.exists(database) { try? TextFile.create(database).close() }
        for path in [database, database + "-wal", database + "-shm"] {
            guard let mode = TextFile.mode(path), mode & 0o077 != 0 else { continue }
            chmod(path, 0o600)
        }
    }

    private static func make(_ path: String) throws -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let failure = Errno(rawValue: errno)
        guard failure == .fileExists, let status = try? Stat(path) else {
            throw unusable(path, "it cannot be created: \(failure)")
        }
        guard status.type == .directory else { throw unusable(path, "it is not a directory") }
        return false
    }

    /// Returns the problem of a directory that belongs to another user: its owner can be changed.
    private static func forbidden(_ path: String) -> Problem {
        unusable(
            path,
            "this user can't write to it",
            cures: [.init("sudo chown -R \"$(id -un)\" '\(path)'", "give it to this user")]
        )
    }

    private static func unusable(_ path: String, _ why: String, cures: [Problem.Cure] = []) -> Problem {
        Problem(
            .dataDirectoryUnusable,
            "the data directory \(path) cannot be used",
            at: path,
            why: why,
            cures: cures + [.init("lamplighter up --data DIR", "another directory")]
        )
    }
}
