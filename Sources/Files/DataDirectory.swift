import Glibc
import Problems
import SystemPackage

/// The directory with all data of a service, and the names of its files.
package struct DataDirectory: Sendable {
    /// The directory's absolute path.
    package let path: String
    /// Whether this process has just created the directory.
    package let isNew: Bool

    /// The file of the database.
    package var database: String { path + "/lamplighter.db" }
    /// The file with the key of 32 bytes that seals secrets at rest.
    package var serverKey: String { path + "/server.key" }
    /// The file with the password of `service:lamplighter`, the principal of the workers.
    package var serviceSecret: String { path + "/service.secret" }
    /// The file with the password of `service:tools`, the principal of commands and tests.
    package var toolsSecret: String { path + "/tools.secret" }
    /// The file with the keys and secrets of the demo product and app.
    package var demo: String { path + "/demo.json" }
    /// The file that describes the newest backup that was successfully read back.
    package var backupNote: String { path + "/backup.json" }
    /// The file with the reason why the last backup failed.
    ///
    /// A successful backup removes this file.
    package var backupFailure: String { path + "/backup.failed" }

    /// The files that a backup contains besides the database, as paths relative to the data directory.
    ///
    /// A backup contains the directory's keys, secrets and certificates. The service can recreate all other files.
    package var keptFiles: [String] {
        let secrets = ["server.key", "service.secret", "tools.secret", "demo.json"]
        let certificates = TextFile.names(in: path + "/tls").map { "tls/" + $0 }
        return (secrets + certificates).filter {
            (try? Stat(path + "/" + $0))?.type == .regular
        }
    }

    /// The file with the credentials that the gate reads.
    package var credentials: String { path + "/gate/credentials" }
    /// The file from which the gate reads the addresses of the WebSocket relay's clients.
    package var relayedAddresses: String { path + "/gate/websocket.addresses" }
    /// The file whose lock the running service holds.
    package var lock: String { path + "/lock" }
    /// The file with the id that distinguishes this process from other processes with the same database.
    ///
    /// Until this process gets its id, the file contains the id of the previous run.
    package var process: String { path + "/process" }
    /// The file with the service's ports and credentials, which exists while all parts of the service accept work.
    package var ready: String { path + "/ready.json" }
    /// The file with the broker's configuration.
    package var brokerConfiguration: String { path + "/broker/mosquitto.conf" }
    /// The file with the broker's process id.
    package var brokerPID: String { path + "/broker/mosquitto.pid" }
    /// The file with the broker's log.
    package var brokerLog: String { path + "/broker/mosquitto.log" }

    /// The broker's copies of the certificate, the key and the devices' authority.
    ///
    /// While an operator replaces the original files, the certificate might not match the key. The broker therefore
    /// reads these copies, into which the service writes only a matching certificate and key.
    package var brokerTLS: TLSFiles {
        let base = path + "/broker/"
        return TLSFiles(certificate: base + "server.pem", key: base + "server.key", authority: base + "authority.pem")
    }

    /// The certificates and keys that `lamplighter tls init` makes.
    package var ownTLS: TLSFiles { TLSFiles.own(in: path) }
    /// The key with which the authority from `lamplighter tls init` signs servers' and devices' certificates.
    package var authorityKey: String { path + "/tls/authority.key" }
    /// The file with certificates that link older authorities to the current one.
    ///
    /// Through these links, clients that trust an older authority can verify newer certificates.
    package var authorityLinks: String { path + "/tls/authority.links.pem" }

    /// Makes the directory (mode 0700) and its folders, or checks an existing directory.
    ///
    /// - Throws: A `Problem` if the directory can't be made or used.
    package static func prepare(_ name: String) throws -> DataDirectory {
        let path = AbsolutePath.of(name)
        guard !path.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw Problem.dataDirectoryUnusable(path: path, why: "its name has control characters")
        }
        let isNew = try make(path)
        for folder in ["gate", "broker"] { _ = try make(path + "/" + folder) }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { throw Problem.dataDirectoryForbidden(path: path) }
        return DataDirectory(path: path, isNew: isNew)
    }

    /// Prepares, locks and fills a directory.
    ///
    /// If the call fails, it removes the lock file and the empty folders that it made.
    ///
    /// - Throws: A `Problem` if the directory can't be used, or the error that `fill` throws.
    package static func filling<Result>(_ name: String, _ fill: (DataDirectory) throws -> Result) throws -> Result {
        let before = Set(TextFile.names(in: AbsolutePath.of(name)))
        let directory = try prepare(name)
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        do {
            return try fill(directory)
        } catch {
            if !before.contains("lock") { unlink(directory.lock) }
            // `rmdir` removes a folder only if the folder is empty.
            for folder in ["gate", "broker", "tls"] where !before.contains(folder) {
                rmdir(directory.path + "/" + folder)
            }
            if directory.isNew { rmdir(directory.path) }
            throw error
        }
    }

    /// Returns a data directory that already exists, for commands that work on it.
    ///
    /// If `holdsStore` is true, the directory must also contain the database.
    /// - Throws: A `Problem` if the directory or its database is missing, or the directory is unusable.
    package static func existing(_ name: String, holdsStore: Bool) throws -> DataDirectory {
        let directory = DataDirectory(path: AbsolutePath.of(name), isNew: false)
        let wanted = holdsStore ? directory.database : directory.path
        guard TextFile.exists(wanted) else {
            // The file can exist even if this user can't see it.
            if access(wanted, F_OK) != 0, errno == EACCES {
                throw Problem.directoryUnreadable(directory: directory.path)
            }
            let why = holdsStore ? "lamplighter.db does not exist" : "it does not exist"
            throw Problem.dataMissing(directory: directory.path, why: why)
        }
        guard access(directory.path, R_OK | W_OK | X_OK) == 0 else {
            throw Problem.dataDirectoryForbidden(path: directory.path)
        }
        return directory
    }

    /// Makes the database's files accessible only to their owner, even if other users can enter the directory.
    ///
    /// The modes are set before SQLite opens the database. SQLite then makes further files with the same mode. The
    /// function ignores failures. If a file can't be created, SQLite meets the same problem and reports it. If another
    /// user owns a file and this process may not change its mode, the file keeps its mode.
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
            throw Problem.dataDirectoryUnusable(path: path, why: "it cannot be created: \(failure)")
        }
        guard status.type == .directory else {
            throw Problem.dataDirectoryUnusable(path: path, why: "it is not a directory")
        }
        return false
    }
}
