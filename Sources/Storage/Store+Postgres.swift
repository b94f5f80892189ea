package import PostgreSQL
package import Sodium

/// The functions that concern a store on a PostgreSQL database.
extension Store {
    /// The PostgreSQL database; nil if the store is a file.
    var server: PostgresDatabase? { if case .postgres(let database) = engine { database } else { nil } }

    /// Connects to a database, migrates it if `migrates` is true, and checks its settings.
    ///
    /// `credentialsPath` is the path of the gate's file, or nil if this process doesn't write that file. At most
    /// `connectionsMax` connections are open. The write transactions of processes with `isOneWriter` run one after
    /// another. No transaction lasts longer than `bound`. `onConnection` is called with each new connection before its
    /// use.
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
            // The error is ignored. Usually, the partitions for the next two weeks exist already. A job tries again
            // every hour.
            return
        } catch {
            _ = try database.opening { throw error }
        }
    }

    /// Returns the fingerprint of a database's key, or nil if there are no tables.
    package static func keyFingerprint(of address: PostgresAddress, password: String?) throws -> String? {
        try PostgresDatabase.fingerprint(of: address, password: password)
    }

    /// A line for the operator about the database engine, such as its version.
    package var summary: String {
        switch engine {
        case .sqlite: "SQLite, WAL, synchronous FULL"
        case .postgres(let database): "PostgreSQL \((try? database.version()) ?? ""), \(database.place)"
        }
    }

    /// Sets a function that gets the reason why the database is unreachable, or nil once it is reachable again.
    ///
    /// The function is called on the thread that notices the change, and must not block. On SQLite, it is never called.
    package func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        server?.onAvailability(tell)
    }

    /// The number of this process's connections to the database server, or 0 if the store is a file.
    package var connectionCount: Int { server?.connectionCount ?? 0 }

    /// Whether the store is a file on this machine.
    package var isFile: Bool { file != nil }
}
