import Backups
package import Files
import PostgreSQL
import Problems
import Sodium
package import Storage

/// Opens the store of a data directory, for the service and for the commands beside it.
package enum StoreAccess {
    /// Opens the store for the service: brings an older database up to date, and the gate's file.
    ///
    /// `role` says what the process is to the others of a database; a command without one brings it up to date as well.
    /// Before an older file is changed it is copied: `copying` is told the part that is done, from 0 to 1, and
    /// `onCopy` takes the path of the copy.
    /// - Throws: A `Problem`, or what `copying` throws; then nothing was changed.
    package static func service(
        _ directory: DataDirectory,
        _ place: StorePlace,
        as role: ProcessRole = .command,
        copying: (Double) throws -> Void = { _ in },
        onCopy: (String) -> Void = { _ in }
    ) throws -> Store {
        var ended: (any Error)?
        let store: Store
        do {
            store = try open(directory, place, migrates: true, role: role, bound: .service) {
                store in
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
            throw StoreProblem.unusable(directory.credentials, error)
        }
        return store
    }

    /// Opens the store for a command: a running service beside it goes on undisturbed.
    ///
    /// Its transactions last as long as they take, unless it works on and on, and gives a bound.
    /// - Throws: A `Problem`, also where the database has to be brought up to date first.
    package static func tool(
        _ directory: DataDirectory,
        _ place: StorePlace,
        bound: TransactionBound? = nil
    ) throws -> Store {
        try open(directory, place, migrates: false, bound: bound)
    }

    /// Opens the store that a move fills, and makes it the first time.
    ///
    /// - Throws: A `Problem`.
    static func beingFilled(_ directory: DataDirectory, _ place: StorePlace) throws -> Store {
        try open(directory, place, migrates: true, isBeingFilled: true)
    }

    private static func open(
        _ directory: DataDirectory,
        _ place: StorePlace,
        migrates: Bool,
        isBeingFilled: Bool = false,
        role: ProcessRole = .command,
        bound: TransactionBound? = nil,
        beforeMigrating: (Store) throws -> Void = { _ in }
    ) throws -> Store {
        let problem = StoreProblem(directory, place)
        do {
            if let address = place.database {
                return try connect(
                    to: address,
                    directory,
                    place,
                    migrates: migrates,
                    isBeingFilled: isBeingFilled,
                    role: role,
                    bound: bound
                )
            }
            try problem.checkIsDatabase()
            if place.isGateElsewhere { throw StoreProblem.gateWithoutDatabase }
            let key = try key(problem, isKnown: TextFile.exists(directory.database))
            if migrates { directory.narrowDatabase() }
            return try Store(
                path: directory.database,
                credentialsPath: place.gateFile ?? directory.credentials,
                key: key,
                migrates: migrates,
                isBeingFilled: isBeingFilled,
                beforeMigrating: beforeMigrating
            )
        } catch let failure as Store.Failure {
            throw problem.problem(failure)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw StoreProblem.unusable(directory.database, error)
        }
    }

    private static func connect(
        to address: PostgresAddress,
        _ directory: DataDirectory,
        _ place: StorePlace,
        migrates: Bool,
        isBeingFilled: Bool,
        role: ProcessRole,
        bound: TransactionBound?
    ) throws -> Store {
        let password = try place.passwordFile.map { try SecretFile.read($0) }
        let known = try Store.keyFingerprint(of: address, password: password)
        let key = try key(StoreProblem(directory, place), isKnown: known != nil)
        // A command on a machine where no broker's gate runs has no file to tell.
        let gateFile = place.gateFile ?? directory.credentials
        let hasGate =
            !place.isGateElsewhere && ((migrates && !isBeingFilled) || TextFile.exists(gateFile))
        return try Store(
            database: address,
            password: password,
            connectionsMax: place.connectionsMax,
            credentialsPath: hasGate ? gateFile : nil,
            key: key,
            migrates: migrates,
            isOneWriter: place.isOneWriter,
            isBeingFilled: isBeingFilled,
            role: role,
            bound: bound
        )
    }

    /// Reads the key of a database; makes one for a database that is new.
    private static func key(_ problem: StoreProblem, isKnown: Bool) throws -> ServerKey {
        let path = problem.serverKey
        // A new key for an old database would silently void every passcode in it.
        if TextFile.exists(path) || !isKnown,
            let key = ServerKey(secret: try SecretFile.readOrMake(path))
        {
            return key
        }
        throw Problem(
            .secretUnreadable,
            "the key in \(path) cannot be used",
            at: path,
            why: "secrets in the database are sealed with it, and it is missing",
            cures: problem.keyCures
        )
    }
}
