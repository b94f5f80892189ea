package import Domain

/// The runs of schedules: one row for each occurrence, however often it was fired.
package struct ScheduleRunTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns = "scheduleId, dueAt, firedAt, state, cid, error, code"

    private static func run(_ row: Row) -> ScheduleRun {
        ScheduleRun(
            ScheduleID(trusted: row.text(0)),
            dueAt: Instant(milliseconds: row.integer(1)),
            firedAt: Instant(milliseconds: row.integer(2)),
            state: ScheduleRun.State(rawValue: row.text(3)) ?? .failed,
            cid: row.optionalInteger(4),
            error: row.optionalText(5).flatMap { ErrorCode(rawValue: $0) },
            code: row.optionalInteger(6)
        )
    }

    /// Hands over the place of each occurrence that was taken up before.
    package func find(_ triggers: [Trigger], _ body: (Int) -> Void) throws {
        try sql.query(
            "SELECT 1 FROM scheduleRun WHERE scheduleId = $1 AND dueAt = $2",
            each: triggers.indices
        ) {
            $0.add(triggers[$1].schedule.text)
            $0.add(triggers[$1].dueAt.milliseconds)
        } row: { place, _ in
            body(place)
        }
    }

    /// Adds runs; one of an occurrence that was taken up before changes nothing.
    package func add(_ runs: [ScheduleRun]) throws {
        try sql.run(
            """
            INSERT INTO scheduleRun (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (scheduleId, dueAt) DO NOTHING
            """,
            each: runs
        ) { binder, run in
            binder.add(run.schedule.text)
            binder.add(run.dueAt.milliseconds)
            binder.add(run.firedAt.milliseconds)
            binder.add(run.state.rawValue)
            binder.add(run.cid)
            binder.add(run.error?.rawValue)
            binder.add(run.code)
        }
    }

    /// Records the outcome of a run's command; returns the run, nil where none waits for it.
    package func finish(
        _ schedule: ScheduleID,
        cid: Int64,
        _ state: ScheduleRun.State,
        error: ErrorCode?,
        code: Int64?
    ) throws -> ScheduleRun? {
        try sql.query(
            """
            UPDATE scheduleRun SET state = $1, error = $2, code = $3
            WHERE scheduleId = $4 AND cid = $5 AND state = 'sent'
            RETURNING \(Self.columns)
            """
        ) {
            $0.add(state.rawValue)
            $0.add(error?.rawValue)
            $0.add(code)
            $0.add(schedule.text)
            $0.add(cid)
        } row: {
            Self.run($0)
        }.first
    }

    /// Returns a schedule's finished runs, the newest first.
    package func newest(
        _ schedule: ScheduleID,
        before: Instant,
        limit: Int64
    ) throws -> [ScheduleRun] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM scheduleRun
            WHERE scheduleId = $1 AND dueAt < $2 AND state <> 'sent'
            ORDER BY dueAt DESC LIMIT $3
            """
        ) {
            $0.add(schedule.text)
            $0.add(before.milliseconds)
            $0.add(limit)
        } row: {
            Self.run($0)
        }
    }

    /// Returns how many runs there are, by state.
    package func counts() throws -> [(state: String, count: Int64)] {
        try sql.query("SELECT state, count(*) FROM scheduleRun GROUP BY state ORDER BY state") {
            ($0.text(0), $0.integer(1))
        }
    }

    /// Forgets runs older than a moment, at most `limit`; returns how many.
    package func prune(before moment: Instant, limit: Int) throws -> Int {
        try sql.run(
            """
            DELETE FROM scheduleRun WHERE (scheduleId, dueAt) IN (
                SELECT scheduleId, dueAt FROM scheduleRun
                WHERE dueAt < $1 ORDER BY dueAt LIMIT $2)
            """
        ) {
            $0.add(moment.milliseconds)
            $0.add(limit)
        }
        return sql.changes
    }
}
