import PostgreSQL

/// The leases, which record the process that holds each lane of a worker.
///
/// A lease doesn't expire. It ends when its process gives the lane back. It also ends when another process takes the
/// lane and increases the epoch. Another process can do so once the holder no longer counts as alive (`NodeTable`).
/// Leases are used only on PostgreSQL.
package struct LeaseTable {
    let sql: SQL

    /// The lease of one lane.
    package struct Lease: Sendable, Equatable {
        /// The name of the worker.
        package var worker: String
        /// The lane's number.
        package var lane: Int
        /// The process that holds or last held the lane; nil if the lane was given back.
        package var node: String?
        /// The number of times that the lane has been taken.
        package var epoch: Int64
        /// Whether the holder counts as alive.
        package var isHeld: Bool
    }

    private static let clock = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

    /// Creates the missing leases of a worker's lanes, and returns the number of the worker's leases.
    ///
    /// The result is larger than `count` if another version of the program made more lanes.
    package func make(_ worker: String, lanes count: Int) throws -> Int {
        try sql.run(
            "INSERT INTO lease (worker, lane, node, epoch) VALUES ($1, $2, NULL, 0) ON CONFLICT DO NOTHING",
            each: 0..<count
        ) { (worker, $0) }
        return Int(try sql.integer("SELECT count(*) FROM lease WHERE worker = $1", worker) ?? 0)
    }

    /// Returns the leases of all lanes, sorted by worker and lane.
    package func all() throws -> [Lease] {
        try sql.query(
            """
            SELECT l.worker, l.lane, l.node, l.epoch, n.untilAt IS NOT NULL
            FROM lease AS l LEFT JOIN node AS n ON n.node = l.node AND n.untilAt > \(Self.clock)
            ORDER BY l.worker, l.lane
            """
        ) { row in Lease(worker: row.next(), lane: row.next(), node: row.next(), epoch: row.next(), isHeld: row.next())
        }
    }

    /// Returns the workers with at least one lane that a living process holds.
    package func heldWorkers() throws -> Set<String> {
        Set(
            try sql.values(
                """
                SELECT DISTINCT l.worker FROM lease AS l JOIN node AS n ON n.node = l.node
                WHERE n.untilAt > \(Self.clock)
                """
            )
        )
    }

    /// Ends the database sessions of processes that hold lanes and count as dead.
    ///
    /// A process that freezes during a transaction keeps its locks. PostgreSQL ends a session whose transaction is idle
    /// for two seconds. However, a session with an incomplete pipeline doesn't count as idle.
    package func endSessionsOfSilent() throws {
        _ = try sql.query(
            """
            SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a
            WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
                AND a.application_name IN (
                    SELECT $1 || l.node FROM lease AS l
                    WHERE l.node IS NOT NULL
                        AND l.node NOT IN (SELECT n.node FROM node AS n WHERE n.untilAt > \(Self.clock)))
            """,
            PostgresSettings.name(of: "")
        ) { row in row.next(Bool.self) }
    }

    /// Takes up to `limit` lanes that no living process holds, and returns their numbers and epochs.
    ///
    /// Skips a lane while its last holder is still in a transaction. A later call can take that lane.
    package func take(_ worker: String, limit: Int, for node: String) throws -> [(lane: Int, epoch: Int64)] {
        let free = try sql.query(
            """
            SELECT l.lane, l.epoch FROM lease AS l
            WHERE l.worker = $1 AND (l.node IS NULL
                OR l.node NOT IN (SELECT n.node FROM node AS n WHERE n.untilAt > \(Self.clock)))
            ORDER BY l.lane LIMIT $2 FOR UPDATE SKIP LOCKED
            """,
            worker,
            limit
        ) { row in (lane: row.next(Int.self), epoch: row.next(Int64.self) + 1) }
        try sql.run(
            "UPDATE lease SET node = $1, epoch = $2 WHERE worker = $3 AND lane = $4",
            each: free
        ) { (node, $0.epoch, worker, $0.lane) }
        return free
    }

    /// Gives a lane back, unless another process has taken the lane.
    package func release(_ worker: String, lane: Int, epoch: Int64) throws {
        try sql.run("UPDATE lease SET node = NULL WHERE worker = $1 AND lane = $2 AND epoch = $3", worker, lane, epoch)
    }
}

/// The lease that each transaction of a lane checks first.
package struct Fence: Sendable {
    /// The name of the worker.
    package let worker: String
    /// The lane's number.
    package let lane: Int
    /// The lease's epoch.
    package let epoch: Int64

    /// Creates the fence of a lease.
    package init(worker: String, lane: Int, epoch: Int64) {
        (self.worker, self.lane, self.epoch) = (worker, lane, epoch)
    }

    /// Checks the lease, and locks it against other processes until the transaction ends.
    ///
    /// The method doesn't wait for the check's result. If another process has taken the lane, the check fails in the
    /// database, and so do all later statements of the transaction.
    func check(in sql: SQL) throws {
        try sql.run(
            """
            SELECT ln(CAST(count(*) AS DOUBLE PRECISION)) FROM (
                SELECT 1 FROM lease
                WHERE worker = $1 AND lane = $2 AND epoch = $3 AND node IS NOT NULL
                FOR KEY SHARE) AS own
            """,
            worker,
            lane,
            epoch
        )
    }

    /// Returns `LaneLost` if the error means that the lane was taken, otherwise `error`.
    func meaning(of error: any Error) -> any Error {
        guard (error as? PostgresError)?.state == PostgresError.lostLane else { return error }
        return LaneLost(worker: worker, lane: lane)
    }
}

/// The error thrown when another process has taken a lane.
///
/// This process must then stop writing, acknowledging and publishing for the lane.
package struct LaneLost: Error, CustomStringConvertible {
    /// The name of the worker.
    package let worker: String
    /// The lane's number.
    package let lane: Int

    package var description: String { "another process has taken lane \(lane) of \(worker)" }
}
