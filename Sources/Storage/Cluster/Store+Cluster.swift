package import Domain
import PostgreSQL

extension Store {
    /// The tables through which processes share the work.
    package struct Cluster {
        let sql: SQL
        /// The processes.
        package var nodes: NodeTable { NodeTable(sql: sql) }
        /// The leases of all lanes.
        package var leases: LeaseTable { LeaseTable(sql: sql) }
    }

    /// Whether other processes can write to the database at any time, so that they share the work by leases.
    package var isShared: Bool {
        if case .postgres = engine { true } else { false }
    }

    /// The id of this run among all runs of processes on the database; nil for a file.
    package var processID: String? {
        guard case .postgres(let database) = engine else { return nil }
        return database.processID
    }

    /// This process's slot among those that write to the database; `.alone` until it has joined them.
    package var slot: NodeSlot { sequence.slot }

    /// Runs a short transaction on the cluster's tables, which doesn't wait for any process's batches.
    package func coordinate<Value>(_ body: (Cluster) throws -> Value) throws -> Value {
        try engine.coordinate { try body(Cluster(sql: $0)) }
    }

    /// Numbers rows with a slot from now on.
    package func take(_ slot: NodeSlot) { sequence.take(slot) }

    /// Returns how many deadlocks the database has ended since it was made.
    package func deadlocks() throws -> Int {
        try engine.coordinate { sql in
            Int(try sql.integer("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") ?? 0)
        }
    }

    /// Returns the same store for one lane, whose batches first check that the process still holds the lane.
    package func guarded(by fence: Fence) -> Store { Store(self, fence: fence) }

    /// Checks that this process still holds a lane, and numbers the lane's messages after those that an earlier holder
    /// left.
    ///
    /// - Throws: `LaneLost`, or what the database throws.
    package func enter(_ lane: String) throws {
        do {
            try engine.coordinate { sql in
                try fence?.check(in: sql)
                let last = try sql.integer("SELECT max(id) FROM outbox WHERE worker = $1", lane)
                if let last { sequence.goOn(behind: last) }
            }
        } catch {
            throw fence?.meaning(of: error) ?? error
        }
    }
}

extension StoreEngine {
    /// Runs a transaction over a separate connection, concurrently with others if the engine allows several writers.
    func coordinate<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let file): try file.write { sql in try sql.transaction { try body(sql) } }
        case .postgres(let database):
            try database.with { connection in
                try connection.transaction(within: database.bound) {
                    try body(SQL(.postgres(connection), key: database.key))
                }
            }
        }
    }
}
