package import Domain
import Sodium
package import Storage

/// Opens the store of a data directory, for the service or for a command beside it.
package enum StoreOpener {
    /// Opens the store as the service: migrates it and writes the gate's file anew.
    ///
    /// - Throws: A `Problem` where it is newer than this program, damaged, or on a disk that refuses.
    package static func service(_ directory: DataDirectory) throws -> Store {
        try translating(directory) {
            let store = try Store(
                path: directory.database,
                credentialsPath: directory.credentials,
                key: try key(directory)
            )
            try store.healCredentials()
            return store
        }
    }

    /// Opens the store as a command: never migrates, works beside the running service.
    ///
    /// - Throws: A `Problem`, also where the file has to be migrated first.
    package static func tool(_ directory: DataDirectory) throws -> Store {
        try translating(directory) {
            try Store(
                path: directory.database,
                credentialsPath: directory.credentials,
                key: try key(directory),
                migrates: false
            )
        }
    }

    /// The current time, as the store counts it.
    package static func now() -> Instant {
        Instant(milliseconds: WallClock.milliseconds)
    }

    /// Reads the key that seals secrets, or makes it with a new database.
    private static func key(_ directory: DataDirectory) throws -> ServerKey {
        if !TextFile.exists(directory.serverKey) {
            guard !TextFile.exists(directory.database) else {
                throw keyProblem(directory, "it is missing, though there is a database")
            }
            try TextFile.write(
                bytes: Sodium.randomBytes(ServerKey.byteCount),
                to: directory.serverKey
            )
        }
        guard let bytes = TextFile.readBytes(directory.serverKey), let key = ServerKey(bytes) else {
            throw keyProblem(directory, "it is not readable, or does not hold 32 bytes")
        }
        return key
    }

    private static func keyProblem(_ directory: DataDirectory, _ why: String) -> Problem {
        Problem(
            .secretUnreadable,
            "the server key \(directory.serverKey) cannot be used",
            at: directory.serverKey,
            why: why + "; passcodes and sealed answers in the database are good only with it",
            cures: [
                .init("cp BACKUP/server.key '\(directory.serverKey)'", "restore it from a backup")
            ]
        )
    }

    private static func translating<Value>(
        _ directory: DataDirectory,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let failure as Store.Failure {
            throw problem(failure, directory)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(
                .databaseFailed,
                "the store in \(directory.path) cannot be opened",
                at: directory.path,
                why: "\(error)",
                cures: [.init("df -h '\(directory.path)'", "is there room?")]
            )
        }
    }

    private static func problem(_ failure: Store.Failure, _ directory: DataDirectory) -> Problem {
        switch failure {
        case .newerVersion(let path):
            Problem(
                .databaseTooNew,
                "the database \(path) was written by a newer version than \(Version.text)",
                at: path,
                why: "migrations only go forward",
                cures: [.init("lamplighter version", "then install that version or a later one")]
            )
        case .olderVersion(let path):
            Problem(
                .databaseFailed,
                "the database \(path) has to be migrated first",
                at: path,
                why: "an older version wrote it, and only the service migrates it",
                cures: [.init("lamplighter migrate --data '\(directory.path)'", "migrate it now")]
            )
        case .wrongSetting, .cannotOpen:
            Problem(
                .databaseFailed,
                "the database \(directory.database) cannot be opened",
                at: directory.database,
                why: failure.description,
                cures: [
                    .init("lamplighter doctor --data '\(directory.path)'", "look closer"),
                    .init("df -h '\(directory.path)'", "is there room?"),
                ]
            )
        }
    }
}
