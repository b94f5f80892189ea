import Backups
package import Files
import PostgreSQL
import Problems
import Sodium
package import Storage

/// The functions that open the store of a data directory, for the service and for commands.
package enum StoreAccess {
    /// Opens the service's store, migrates an older database, and updates the gate's file.
    ///
    /// `role` is this process's role among the processes that share a database. The database is migrated in every role.
    /// A database file of an older version is copied before it is changed. `copying` receives the completed fraction of
    /// the copy, from 0 to 1. `onCopy` receives the path of the copy.
    /// - Throws: A `Problem`, or the error that `copying` threw. If `copying` throws, the database stays unchanged.
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
            store = try open(directory, place, migrates: true, role: role, bound: .service) { store in
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

    /// Opens the store for a command, without disturbing a running service.
    ///
    /// Transactions have no time limit by default. A command that runs continuously, such as a separate scheduler,
    /// passes a `bound`.
    /// - Throws: A `Problem`, for example if the database must be migrated first.
    package static func tool(
        _ directory: DataDirectory,
        _ place: StorePlace,
        bound: TransactionBound? = nil
    ) throws -> Store {
        try open(directory, place, migrates: false, bound: bound)
    }

    /// Opens the store that `migrate --to` fills, and creates the store if it doesn't exist.
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
            if place.isGateElsewhere { throw Problem.noDatabaseForFeed() }
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
        // If the gate's file doesn't exist on this machine, a command doesn't create it.
        let gateFile = place.gateFile ?? directory.credentials
        let hasGate = !place.isGateElsewhere && ((migrates && !isBeingFilled) || TextFile.exists(gateFile))
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

    /// Reads the key of a database, or creates a key for a new database.
    private static func key(_ problem: StoreProblem, isKnown: Bool) throws -> ServerKey {
        let path = problem.serverKey
        // A new key for an existing database would silently make all its passcodes invalid.
        if TextFile.exists(path) || !isKnown, let key = ServerKey(secret: try SecretFile.readOrMake(path)) {
            return key
        }
        throw problem.keyMissing
    }
}
