package import Domain

/// The processes that share the database, with one row for each slot in use (`NodeSlot`).
///
/// The table is used only on PostgreSQL. Its times come from the database's clock, not from the processes' clocks.
package struct NodeTable {
    let sql: SQL

    /// One process that shares the database.
    package struct Node: Sendable, Equatable {
        /// The process's slot.
        package var slot: NodeSlot
        /// The id of the process's run, which differs from the ids of all other runs of all processes.
        package var id: String
        /// The process's name, as operators see it.
        package var name: String
        /// The version of the program that the process runs.
        package var version: String
        /// Whether the process must hand over its lanes and take no more.
        package var isDraining: Bool
        /// The time at which the process started.
        package var startedAt: Instant
        /// The time until which the process counts as alive; `renew` extends it.
        package var untilAt: Instant
    }

    /// How long the slot of an expired process is kept, in milliseconds.
    ///
    /// An expired process is perhaps just frozen, and may still finish a transaction.
    private static let keptMilliseconds: Int64 = 60_000

    /// The SQL expression for the current time of the database server, in milliseconds since 1970.
    private static let clock = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

    /// Returns the current time by the database server's clock.
    package func now() throws -> Instant { Instant(milliseconds: try sql.integer("SELECT \(Self.clock)") ?? 0) }

    /// Claims a free slot for a process, or returns nil if all are used.
    ///
    /// The process then counts as alive for `milliseconds`.
    ///
    /// If this process replaces an `earlier` one, the earlier process's slot is freed first.
    package func claim(
        id: String,
        name: String,
        version: String,
        milliseconds: Int64,
        inPlaceOf earlier: String? = nil
    ) throws -> NodeSlot? {
        // While a process claims a slot, all other claims and renewals wait.
        try sql.run("LOCK TABLE node IN SHARE ROW EXCLUSIVE MODE")
        if let earlier { try release(earlier) }
        let now = try now().milliseconds
        let held = try sql.query("SELECT slot, untilAt FROM node") { row in
            (slot: row.next(Int.self), until: row.next(Int64.self))
        }
        let new = NodeSlot.shared.first { slot in !held.contains { $0.slot == slot.number } }
        let left = held.filter { $0.until + Self.keptMilliseconds < now }
            .min { $0.until < $1.until }
            .flatMap { NodeSlot($0.slot) }
        guard let slot = new ?? left else { return nil }
        try sql.run("DELETE FROM node WHERE slot = $1", slot.number)
        try sql.run(
            """
            INSERT INTO node (slot, node, name, version, draining, startedAt, untilAt)
            VALUES ($1, $2, $3, $4, 0, $5, $6)
            """,
            slot.number,
            id,
            name,
            version,
            now,
            now + milliseconds
        )
        return slot
    }

    /// Marks a process as alive for `milliseconds` from now, or returns false if its slot is gone.
    package func renew(_ id: String, milliseconds: Int64) throws -> Bool {
        try sql.run("UPDATE node SET untilAt = \(Self.clock) + $1 WHERE node = $2", milliseconds, id)
        return try sql.changes == 1
    }

    /// Marks a process as not alive, so that other processes can take its lanes at once.
    package func expire(_ id: String) throws { try sql.run("UPDATE node SET untilAt = 0 WHERE node = $1", id) }

    /// Marks a process as about to stop, so that it gets no further share of the lanes.
    package func retire(_ id: String) throws { try sql.run("UPDATE node SET draining = 1 WHERE node = $1", id) }

    /// Frees the slot of a process.
    package func release(_ id: String) throws { try sql.run("DELETE FROM node WHERE node = $1", id) }

    /// Begins or ends the draining of a process, or returns false if no process has the given name.
    ///
    /// A process that is being drained hands over its lanes and takes no more.
    package func drain(_ name: String, _ isDraining: Bool) throws -> Bool {
        try sql.rowsChanged("UPDATE node SET draining = $1 WHERE name = $2", isDraining, name) > 0
    }

    /// Returns the slots of living processes, and the slots that are still kept for expired processes.
    package func kept() throws -> Set<NodeSlot> {
        let now = try now().milliseconds
        let numbers: [Int] = try sql.values("SELECT slot FROM node WHERE untilAt >= $1", now - Self.keptMilliseconds)
        return Set(numbers.compactMap { NodeSlot($0) })
    }

    /// Returns the processes that count as alive, in the order of their slots.
    package func living() throws -> [Node] {
        let now = try now()
        return try all().filter { $0.untilAt > now }
    }

    /// Returns the connection name of a process of the service other than `id`, or nil if there is no such process.
    ///
    /// The search also finds processes without a row in this table. Examples are a process that works alone, and a
    /// `lamplighter` command.
    package func stranger(besides id: String) throws -> String? {
        try sql.value(
            """
            SELECT application_name FROM pg_stat_activity
            WHERE datname = current_database() AND application_name LIKE $1
                AND application_name NOT LIKE $2 LIMIT 1
            """,
            PostgresSettings.name(of: "%" + PostgresDatabase.anyProcess),
            PostgresSettings.name(of: "%" + id)
        )
    }

    /// Returns all processes, including expired ones, in the order of their slots.
    package func all() throws -> [Node] {
        try sql.query("SELECT slot, node, name, version, draining, startedAt, untilAt FROM node ORDER BY slot") { row in
            Node(
                slot: NodeSlot(row.next(Int.self)) ?? .alone,
                id: row.next(),
                name: row.next(),
                version: row.next(),
                isDraining: row.next(),
                startedAt: row.next(),
                untilAt: row.next()
            )
        }
    }
}
