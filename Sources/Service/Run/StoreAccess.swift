import Backups
package import Files
import Problems
import Sodium
package import Storage

/// Opens the store of a data directory, for the service and for the commands beside it.
package enum StoreAccess {
    /// Opens the store for the service: brings an older database up to date, and the gate's file.
    ///
    /// Before an older database is changed it is copied: `copying` is told the part that is done, from 0 to 1, and
    /// `onCopy` takes the path of the copy.
    /// - Throws: A `Problem`, or what `copying` throws; then nothing was changed.
    package static func service(
        _ directory: DataDirectory,
        copying: (Double) throws -> Void = { _ in },
        onCopy: (String) -> Void = { _ in }
    ) throws -> Store {
        var ended: (any Error)?
        let store: Store
        do {
            store = try open(directory, migrates: true) { store in
                let path = try MigrationCopy.make(
                    of: store,
                    in: directory,
                    before: Version.text,
                    progress: { done in
                        do { try copying(done) } catch {
                            ended = error
                            throw error
                        }
                    }
                )
                onCopy(path)
            }
        } catch {
            throw ended ?? error
        }
        do {
            try store.rebuildCredentials()
        } catch {
            throw unusable(directory.credentials, error)
        }
        return store
    }

    /// Opens the store for a command: a running service beside it goes on undisturbed.
    ///
    /// - Throws: A `Problem`, also where the database has to be brought up to date first.
    package static func tool(_ directory: DataDirectory) throws -> Store {
        try open(directory, migrates: false)
    }

    private static func open(
        _ directory: DataDirectory,
        migrates: Bool,
        beforeMigrating: (Store) throws -> Void = { _ in }
    ) throws -> Store {
        try checkIsDatabase(directory)
        let key = try key(directory)
        if migrates { directory.narrowDatabase() }
        do {
            return try Store(
                path: directory.database,
                credentialsPath: directory.credentials,
                key: key,
                migrates: migrates,
                beforeMigrating: beforeMigrating
            )
        } catch let failure as Store.Failure {
            throw problem(failure, directory)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw unusable(directory.database, error)
        }
    }

    /// Refuses a file of the database's name that is something else, before its key is missed.
    private static func checkIsDatabase(_ directory: DataDirectory) throws {
        let path = directory.database
        guard let start = TextFile.readBytes(path, upTo: 16), !start.isEmpty,
            start != Array("SQLite format 3\0".utf8)
        else { return }
        throw Problem(
            .databaseFailed,
            "\(path) is not a database",
            at: path,
            why: "the file does not begin as every SQLite database does",
            cures: [
                .init("cp BACKUP/lamplighter.db '\(path)'", "from a backup, with its server.key"),
                .init("mv '\(path)' '\(path).odd'", "put it aside and begin with an empty one"),
            ]
        )
    }

    private static func key(_ directory: DataDirectory) throws -> ServerKey {
        let isLost =
            TextFile.exists(directory.database) && !TextFile.exists(directory.serverKey)
        // A new key beside an old database would silently void every passcode in it.
        if !isLost,
            let key = ServerKey(secret: try SecretFile.readOrMake(directory.serverKey))
        {
            return key
        }
        throw Problem(
            .secretUnreadable,
            "the key in \(directory.serverKey) cannot be used",
            at: directory.serverKey,
            why: "secrets in the database are sealed with it, and it is missing",
            cures: keyCures(directory)
        )
    }

    /// The ways back to the key of a database.
    private static func keyCures(_ directory: DataDirectory) -> [Problem.Cure] {
        [
            .init(
                "lamplighter restore FILE --data DIR",
                "a backup of this database holds its server.key: go on with DIR, or take the key from it"
            ),
            .init("cp DIR/server.key '\(directory.serverKey)'", "then start again"),
        ]
    }

    private static func unusable(_ path: String, _ error: any Error) -> Problem {
        Problem(
            .databaseFailed,
            "\(path) cannot be used: \(StoreError.summary(error))",
            at: path,
            why: "everything that the service keeps is in it",
            cures: [.init("lamplighter doctor", "look closer")]
        )
    }

    private static func problem(_ failure: Store.Failure, _ directory: DataDirectory) -> Problem {
        switch failure {
        case .diskFull(let path): .diskFull(path, failure.description)
        case .newerVersion(let path):
            Problem(
                .databaseTooNew,
                failure.description,
                at: path,
                why: "this version does not know what the newer one changed",
                cures: [.init("lamplighter version", "compare, and start the newer version")]
            )
        case .olderVersion(let path):
            Problem(
                .databaseFailed,
                failure.description,
                at: path,
                why: "a command beside the service does not change the tables",
                cures: [
                    .init("lamplighter migrate --data '\(directory.path)'", "bring it up to date")
                ]
            )
        case .foreignKey(let path):
            Problem(
                .serverKeyForeign,
                "\(directory.serverKey) is not the key of \(path)",
                at: directory.serverKey,
                why:
                    "what the database keeps secret was sealed with another one; nothing was changed",
                cures: keyCures(directory)
            )
        case .wrongSetting, .cannotOpen:
            Problem(
                .databaseFailed,
                failure.description,
                at: directory.database,
                why: "everything that the service keeps is in it",
                cures: [.init("lamplighter doctor --data '\(directory.path)'", "look closer")]
            )
        }
    }
}
