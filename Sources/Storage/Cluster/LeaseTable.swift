import PostgreSQL

/// Which process holds which lane of which worker.
///
/// A lease has no end of its own: it is good as long as the process that holds it is taken for alive (`NodeTable`), and
/// until another takes it, which makes its epoch larger. Used on PostgreSQL alone.
package struct LeaseTable {
    let sql: SQL

    /// One lane's lease.
    package struct Lease: Sendable, Equatable {
        /// The worker.
        package var worker: String
        /// The lane's number.
        package var lane: Int
        /// The process that holds it, or held it last; nil after it was given back.
        package var node: String?
        /// Grows with each taking.
        package var epoch: Int64
        /// Whether the holder is taken for alive.
        package var isHeld: Bool
    }

    private static let clock =
        "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)"

    /// Makes the lanes of a worker that are not there yet; returns how many there are then.
    ///
    /// More than `count` are there where another version divided the work otherwise.
    package func make(_ worker: String, lanes count: Int) throws -> Int {
        try sql.run(
            """
            INSERT INTO lease (worker, lane, node, epoch) VALUES ($1, $2, NULL, 0)
            ON CONFLICT DO NOTHING
            """,
            each: 0..<count
        ) { (worker, $0) }
        return Int(try sql.integer("SELECT count(*) FROM lease WHERE worker = $1", worker) ?? 0)
    }

    /// Returns all lanes' leases, in order.
    package func all() throws -> [Lease] {
        try sql.query(
            """
            SELECT l.worker, l.lane, l.node, l.epoch, n.untilAt IS NOT NULL
            FROM lease AS l LEFT JOIN node AS n ON n.node = l.node AND n.untilAt > \(Self.clock)
            ORDER BY l.worker, l.lane
            """
        ) { row in
            Lease(
                worker: row.next(),
                lane: row.next(),
                node: row.next(),
                epoch: row.next(),
                isHeld: row.next()
            )
        }
    }

    /// Returns the workers of which a living process holds a lane.
    package func heldWorkers() throws -> Set<String> {
        Set(
            try sql.query(
                """
                SELECT DISTINCT l.worker FROM lease AS l JOIN node AS n ON n.node = l.node
                WHERE n.untilAt > \(Self.clock)
                """
            ) { $0.next() }
        )
    }

    /// Ends the database's sessions of processes that hold lanes and are taken for dead.
    ///
    /// A process that is frozen within a transaction keeps what it has locked: the server ends a session that is idle there
    /// after two seconds, but takes one that owes it the rest of a pipeline for busy, and waits as long as the machine is
    /// reachable.
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

    /// Takes at most `limit` lanes of a worker that no living process holds; returns their numbers and epochs.
    ///
    /// A lane whose last holder is still within a transaction is left out: it is tried again later.
    package func take(
        _ worker: String,
        limit: Int,
        for node: String
    ) throws -> [(lane: Int, epoch: Int64)] {
        let free = try sql.query(
            """
            SELECT l.lane, l.epoch FROM lease AS l
            WHERE l.worker = $1 AND (l.node IS NULL
                OR l.node NOT IN (SELECT n.node FROM node AS n WHERE n.untilAt > \(Self.clock)))
            ORDER BY l.lane LIMIT $2 FOR UPDATE SKIP LOCKED
            """,
            worker,
            limit
        ) { row in
            (lane: row.next(Int.self), epoch: row.next(Int64.self) + 1)
        }
        try sql.run(
            "UPDATE lease SET node = $1, epoch = $2 WHERE worker = $3 AND lane = $4",
            each: free
        ) { (node, $0.epoch, worker, $0.lane) }
        return free
    }

    /// Gives a lane back, unless another process has taken it.
    package func release(_ worker: String, lane: Int, epoch: Int64) throws {
        try sql.run(
            """
            UPDATE lease SET node = NULL WHERE worker = $1 AND lane = $2 AND epoch = $3
            """,
            worker,
            lane,
            epoch
        )
    }
}

/// What a lane's transactions check first: that the lane is still its own.
package struct Fence: Sendable {
    /// The worker.
    package let worker: String
    /// The lane's number.
    package let lane: Int
    /// The lease's epoch.
    package let epoch: Int64

    /// Names a lease.
    package init(worker: String, lane: Int, epoch: Int64) {
        self.worker = worker
        self.lane = lane
        self.epoch = epoch
    }

    /// Keeps the lane from being taken until the transaction ends; the lock stands in the way of nothing else.
    ///
    /// Nobody waits for its answer: a lane of another process is a failure, which passes over all that follows.
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

    /// Returns what the failure of a transaction that began with `check` means: `LaneLost` if another process has the
    /// lane.
    func meaning(of error: any Error) -> any Error {
        guard (error as? PostgresError)?.state == PostgresError.lostLane else { return error }
        return LaneLost(worker: worker, lane: lane)
    }
}

/// Another process has the lane: nothing may be written, acknowledged or published for it any more.
package struct LaneLost: Error, CustomStringConvertible {
    /// The worker.
    package let worker: String
    /// The lane's number.
    package let lane: Int

    package var description: String { "another process has taken lane \(lane) of \(worker)" }
}
