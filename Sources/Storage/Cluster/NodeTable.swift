package import Domain

/// The processes that share the database, one row for each slot in use.
///
/// All times are read from the database's clock, so the processes' clocks don't matter. Used on PostgreSQL only.
package struct NodeTable {
    let sql: SQL

    /// One process.
    package struct Node: Sendable, Equatable {
        /// Its slot.
        package var slot: NodeSlot
        /// The id of this run, different for every run of every process.
        package var id: String
        /// Its readable name.
        package var name: String
        /// The version of the program.
        package var version: String
        /// Whether it must hand over its lanes and take no more.
        package var isDraining: Bool
        /// When it began.
        package var startedAt: Instant
        /// The time until which it counts as alive, if not renewed.
        package var untilAt: Instant
    }

    /// How long a slot is kept for an expired process, in milliseconds, so that a frozen process can resume it.
    private static let keptMilliseconds: Int64 = 60_000

    /// The database's present moment in milliseconds.
    private static let clock =
        "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

    /// Returns the database's present moment.
    package func now() throws -> Instant { Instant(milliseconds: try sql.integer("SELECT \(Self.clock)") ?? 0) }

    /// Claims a free slot for a process, for a time in milliseconds; returns nil if all are in use.
    ///
    /// The slot of the `earlier` process that this one replaces is free at once.
    package func claim(
        id: String,
        name: String,
        version: String,
        milliseconds: Int64,
        inPlaceOf earlier: String? = nil
    ) throws -> NodeSlot? {
        // Processes claim one after the other; renewals wait meanwhile.
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

    /// Extends the time in which a process counts as alive to `milliseconds` from now; returns false if another process
    /// has its slot.
    package func renew(_ id: String, milliseconds: Int64) throws -> Bool {
        try sql.run("UPDATE node SET untilAt = \(Self.clock) + $1 WHERE node = $2", milliseconds, id)
        return try sql.changes == 1
    }

    /// Marks a process as gone, so that others needn't wait until its time is over.
    package func expire(_ id: String) throws { try sql.run("UPDATE node SET untilAt = 0 WHERE node = $1", id) }

    /// Marks a process as leaving: it goes on working, but no longer counts when lanes are shared out.
    package func retire(_ id: String) throws { try sql.run("UPDATE node SET draining = 1 WHERE node = $1", id) }

    /// Gives a slot back.
    package func release(_ id: String) throws { try sql.run("DELETE FROM node WHERE node = $1", id) }

    /// Requests that a process, by its readable name, hand over its lanes and take no more, or that it take lanes
    /// again.
    ///
    /// - Returns: Whether there is such a process.
    package func drain(_ name: String, _ isDraining: Bool) throws -> Bool {
        try sql.run("UPDATE node SET draining = $1 WHERE name = $2", isDraining, name)
        return try sql.changes > 0
    }

    /// Returns the slots that processes hold, and those still kept for expired processes.
    package func kept() throws -> Set<NodeSlot> {
        let now = try now().milliseconds
        return Set(
            try sql.query(
                "SELECT slot FROM node WHERE untilAt >= $1",
                now - Self.keptMilliseconds
            ) {
                NodeSlot($0.next(Int.self))
            }.compactMap(\.self)
        )
    }

    /// Returns the processes that count as alive, in the order of their slots.
    package func living() throws -> [Node] {
        let now = try now()
        return try all().filter { $0.untilAt > now }
    }

    /// Returns the name by which the database knows another connected process, or nil.
    ///
    /// A process that works alone has no row in this table; neither has a command.
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
