package import PostgreSQL
package import Sodium

/// Stores in a database of PostgreSQL's.
extension Store {
    /// Connects to a database, brings its tables to this version unless told not to, and checks its settings.
    ///
    /// `credentialsPath` is the gate's file; nil where nothing that the gate knows changes. At most `connectionsMax`
    /// connections are open at once. With `isOneWriter` no two transactions that write run at once, of all processes
    /// that are told so. `role` says what the process is to the others. No transaction lasts longer than `bound`. `onConnection` is given each new connection first.
    /// - Throws: `Failure`.
    package convenience init(
        database address: PostgresAddress,
        password: String?,
        connectionsMax: Int = 60,
        credentialsPath: String?,
        key: ServerKey,
        migrates: Bool = true,
        isOneWriter: Bool = false,
        isBeingFilled: Bool = false,
        role: ProcessRole = .sharing,
        bound: TransactionBound? = .service,
        onConnection: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
    ) throws {
        let database = try PostgresDatabase(
            address: address,
            password: password,
            connectionsMax: connectionsMax,
            key: key,
            isOneWriter: isOneWriter,
            role: role,
            bound: bound,
            onConnection: onConnection
        )
        self.init(.postgres(database), credentialsPath: credentialsPath, key: key)
        try engine.prepare(migrates: migrates, steps: Migrations.steps) {}
        try refuseHalfMoved(unless: isBeingFilled)
        guard migrates else { return }
        do {
            _ = try database.makePartitions(at: PostgresSettings.now)
        } catch let error as PostgresError where error.kind == .conflict || error.isTooLong {
            // They are made two weeks ahead, and tried again every hour (`historyPartitions`): no reason not to start.
            return
        } catch {
            _ = try database.opening { throw error }
        }
    }

    /// Returns the fingerprint of the key that a database's secrets were sealed with; nil in one that has no tables.
    ///
    /// - Throws: `Failure`.
    package static func keyFingerprint(
        of address: PostgresAddress,
        password: String?
    ) throws -> String? {
        try PostgresDatabase.fingerprint(of: address, password: password)
    }

    /// One line about the engine for people.
    package var summary: String {
        switch engine {
        case .sqlite: "SQLite, WAL, synchronous FULL"
        case .postgres(let database):
            "PostgreSQL \((try? database.version()) ?? ""), \(database.place)"
        }
    }

    /// Sets the function that is told why a database is away, and nil once it is back; never called for a file.
    ///
    /// It is called on the thread that noticed, and must not block.
    package func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        guard case .postgres(let database) = engine else { return }
        database.onAvailability(tell)
    }

    /// How many connections to a database this process has; 0 for a file.
    package var connectionCount: Int {
        guard case .postgres(let database) = engine else { return 0 }
        return database.connectionCount
    }

    /// Whether the store is a file of this machine.
    package var isFile: Bool { file != nil }
}
