package import PostgreSQL
package import Sodium

/// Stores in a PostgreSQL database.
extension Store {
    /// Connects to a database, migrates its tables to this version if `migrates`, and checks its settings.
    ///
    /// `credentialsPath` is the gate's file; nil if no data of the gate changes. At most `connectionsMax` connections
    /// are open at once. Writing transactions of all processes with `isOneWriter` run one after another. `role` is the
    /// process's role among the others. No transaction lasts longer than `bound`. `onConnection` gets each new
    /// connection first.
    ///
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
        try numberEventsBehind()
        do {
            _ = try database.makePartitions(at: PostgresSettings.now)
        } catch let error as PostgresError where error.kind == .conflict || error.isTooLong {
            // Partitions are made two weeks ahead, and tried again every hour (`historyPartitions`), so the store can
            // start.
            return
        } catch {
            _ = try database.opening { throw error }
        }
    }

    /// Returns the fingerprint of the key that a database's secrets were sealed with; nil if it has no tables.
    ///
    /// - Throws: `Failure`.
    package static func keyFingerprint(
        of address: PostgresAddress,
        password: String?
    ) throws -> String? {
        try PostgresDatabase.fingerprint(of: address, password: password)
    }

    /// A readable line about the engine.
    package var summary: String {
        switch engine {
        case .sqlite: "SQLite, WAL, synchronous FULL"
        case .postgres(let database): "PostgreSQL \((try? database.version()) ?? ""), \(database.place)"
        }
    }

    /// Sets the function that gets the reason why a database can't be reached, and nil once it can; never called for a
    /// file.
    ///
    /// It is called on the thread that noticed, and must not block.
    package func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        guard case .postgres(let database) = engine else { return }
        database.onAvailability(tell)
    }

    /// The number of this process's connections to a database; 0 for a file.
    package var connectionCount: Int {
        guard case .postgres(let database) = engine else { return 0 }
        return database.connectionCount
    }

    /// Whether the store is a file on this machine.
    package var isFile: Bool { file != nil }
}
