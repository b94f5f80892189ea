package import PostgreSQL
package import Sodium

/// The functions of a store on a PostgreSQL database.
extension Store {
    /// Connects to a database, migrates its tables to this version if `migrates`, and checks its settings.
    ///
    /// `credentialsPath` is the path of the gate's file; nil if this process doesn't write that file. At most
    /// `connectionsMax` connections are open at once. The writing transactions of all processes that set `isOneWriter`
    /// run one after another. `role` is this process's role among the processes on the database. No transaction lasts
    /// longer than `bound`. `onConnection` is called with each new connection before the store uses it.
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
            // The store can start without the new partitions: they are created two weeks before they are needed, and
            // the job `historyPartitions` tries again every hour.
            return
        } catch {
            _ = try database.opening { throw error }
        }
    }

    /// Returns the fingerprint of the key with which a database's secrets were encrypted; nil if the database has no
    /// tables.
    ///
    /// - Throws: `Failure`.
    package static func keyFingerprint(
        of address: PostgresAddress,
        password: String?
    ) throws -> String? {
        try PostgresDatabase.fingerprint(of: address, password: password)
    }

    /// A line for the operator about the database engine, such as its version.
    package var summary: String {
        switch engine {
        case .sqlite: "SQLite, WAL, synchronous FULL"
        case .postgres(let database): "PostgreSQL \((try? database.version()) ?? ""), \(database.place)"
        }
    }

    /// Sets the function to call when a database can't be reached, with the reason, and with nil when it can be reached
    /// again.
    ///
    /// The function is called on the thread that notices the change, and must not block. If the store is a file, the
    /// function is never called.
    package func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        guard case .postgres(let database) = engine else { return }
        database.onAvailability(tell)
    }

    /// The number of this process's connections to the database server; 0 if the store is a file.
    package var connectionCount: Int {
        guard case .postgres(let database) = engine else { return 0 }
        return database.connectionCount
    }

    /// Whether the store is a file on this machine.
    package var isFile: Bool { file != nil }
}
