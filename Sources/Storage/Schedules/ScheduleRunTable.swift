package import Domain

/// The runs of schedules, with one row for each occurrence, however often its trigger was published.
package struct ScheduleRunTable: TransactionTable {
    let transaction: Transaction

    /// Passes to `body` the index of each trigger whose occurrence already has a run.
    package func find(_ triggers: [Trigger], _ body: (Int) -> Void) throws {
        try sql.query("SELECT 1 FROM scheduleRun WHERE scheduleId = $1 AND dueAt = $2", each: triggers.indices) {
            (triggers[$0].schedule, triggers[$0].dueAt)
        } row: { index, _ in
            body(index)
        }
    }

    /// Adds runs, but never changes existing ones, since no column is declared as changing.
    ///
    /// The devices of the runs' schedules must be locked.
    package func add(_ runs: [ScheduleRun], of devices: @autoclosure () -> [DeviceID]) throws {
        try transaction.requireLocks(of: devices())
        try sql.run(ScheduleRun.table.upsert, each: runs)
    }

    /// Records a command's outcome, and returns the run that sent the command.
    ///
    /// Returns nil if no run is waiting for the command's outcome.
    package func finish(
        _ schedule: ScheduleID,
        of did: DeviceID,
        cid: Int64,
        as state: ScheduleRun.State,
        error: ErrorCode?,
        code: Int64?
    ) throws -> ScheduleRun? {
        try transaction.requireLock(of: did)
        return try sql.first(
            """
            UPDATE scheduleRun SET state = $1, error = $2, code = $3
            WHERE scheduleId = $4 AND cid = $5 AND state = 'sent'
            RETURNING \(ScheduleRun.table.columns)
            """,
            state,
            error,
            code,
            schedule,
            cid
        ) { $0.nextRow() }
    }

    /// Returns a schedule's finished runs, the newest first.
    package func newest(_ schedule: ScheduleID, before: Instant, limit: Int64) throws -> [ScheduleRun] {
        try sql.rows(
            of: ScheduleRun.table,
            """
            WHERE scheduleId = $1 AND dueAt < $2 AND state <> 'sent'
            ORDER BY dueAt DESC LIMIT $3
            """,
            schedule,
            before,
            limit
        )
    }

    /// Returns a period's runs, even unfinished ones, the newest first.
    package func all(from: Instant, to: Instant, limit: Int) throws -> [ScheduleRun] {
        try sql.rows(
            of: ScheduleRun.table,
            "WHERE dueAt >= $1 AND dueAt < $2 ORDER BY dueAt DESC, scheduleId LIMIT $3",
            from,
            to,
            limit
        )
    }

    /// Returns the number of runs in each state.
    package func counts() throws -> [(state: String, count: Int64)] {
        try sql.query("SELECT state, count(*) FROM scheduleRun GROUP BY state ORDER BY state") {
            ($0.next(), $0.next())
        }
    }
}

extension ScheduleRun: TableRow {
    package static let table = Table<ScheduleRun>("scheduleRun")

    package static func map(_ column: inout ColumnMapper<ScheduleRun>) -> ScheduleRun {
        ScheduleRun(
            column("scheduleId", \.schedule, as: .key),
            dueAt: column("dueAt", \.dueAt, as: .key),
            firedAt: column("firedAt", \.firedAt),
            state: column("state", \.state),
            cid: column("cid", \.cid),
            error: column("error", \.error),
            code: column("code", \.code)
        )
    }
}
