import Sodium
package import Storage

/// Opens the store of a data directory, for the service and for the commands beside it.
package enum StoreAccess {
    /// Opens the store with the directory's own key.
    ///
    /// - Parameter migrates: Whether an older database is brought up to date; a command beside a
    ///   running service leaves it as it is.
    /// - Throws: A `Problem`.
    package static func open(_ directory: DataDirectory, migrates: Bool) throws -> Store {
        let secret = try SecretFile.readOrMake(directory.serverKey)
        guard let key = ServerKey(Sodium.sha256(secret.utf8)) else {
            throw Problem(
                .secretUnreadable,
                "the key in \(directory.serverKey) cannot be used",
                at: directory.serverKey,
                why: "secrets at rest are sealed with it"
            )
        }
        do {
            return try Store(
                path: directory.database,
                credentialsPath: directory.credentials,
                key: key,
                migrates: migrates
            )
        } catch let failure as Store.Failure {
            throw problem(failure, directory)
        } catch {
            throw Problem(
                .databaseFailed,
                "the database cannot be used: \(StoreError.summary(error))",
                at: directory.database,
                why: "everything that the service keeps is in it",
                cures: [.init("lamplighter doctor --data '\(directory.path)'", "look closer")]
            )
        }
    }

    private static func problem(_ failure: Store.Failure, _ directory: DataDirectory) -> Problem {
        switch failure {
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
