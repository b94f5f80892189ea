package import Domain
import PostgreSQL

extension Store {
    /// The tables through which processes share the work.
    package struct Cluster {
        let sql: SQL
        /// The processes that share the work.
        package var nodes: NodeTable { NodeTable(sql: sql) }
        /// The leases of all lanes.
        package var leases: LeaseTable { LeaseTable(sql: sql) }
    }

    /// Whether other processes can write to the database.
    ///
    /// If they can, leases divide the work among the processes.
    package var isShared: Bool {
        if case .postgres = engine { true } else { false }
    }

    /// The unique id of this process's run, or nil for a store in a file.
    package var processID: String? { server?.processID }

    /// This process's slot among the processes that write to the database (`.alone` before it joins them).
    package var slot: NodeSlot { sequence.slot }

    /// Runs a short transaction on the cluster's tables, without waiting for the batches of any process.
    package func coordinate<Value>(_ body: (Cluster) throws -> Value) throws -> Value {
        try engine.coordinate { try body(Cluster(sql: $0)) }
    }

    /// Sets this process's slot; from now on, new rows get only numbers that belong to the slot (`SequenceSource`).
    package func take(_ slot: NodeSlot) { sequence.take(slot) }

    /// Returns the number of deadlocks that the database server has ended in this database.
    package func deadlocks() throws -> Int {
        try engine.coordinate { sql in
            Int(try sql.integer("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") ?? 0)
        }
    }

    /// Returns a store whose batches first check that this process still holds the fence's lane.
    package func guarded(by fence: Fence) -> Store { Store(self, fence: fence) }

    /// Checks that this process holds a lane, and gives new messages higher numbers than the lane's existing messages.
    ///
    /// - Throws: `LaneLost`, or an error of the database.
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
    /// Runs a transaction, which on PostgreSQL runs in parallel with other transactions.
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
