package import Domain
package import JSON

/// The table of schedules: commands that are sent at certain times.
package struct ScheduleTable: TransactionTable {
    let transaction: Transaction

    /// The statement that stores a schedule's next occurrence, and whether the schedule is active.
    private static let savePlan = ScheduleRow.table.updating(.apart)

    // MARK: Reading

    /// Returns a schedule; nil if there is no such schedule.
    package func find(_ id: ScheduleID) throws -> Schedule? { try sql.find(ScheduleRow.table, id)?.schedule }

    /// Passes to `body` each schedule that exists, with the index of its id in `ids`.
    package func load(_ ids: [ScheduleID], _ body: (Int, Schedule) -> Void) throws {
        try sql.query(ScheduleRow.table.find, each: ids.indices) {
            ids[$0]
        } row: {
            body($0, $1.nextRow(ScheduleRow.self).schedule)
        }
    }

    /// Returns a device's schedules, in the order in which they were created.
    package func all(ofDevice did: DeviceID) throws -> [Schedule] {
        try schedules("WHERE did = $1 ORDER BY scheduleId", did)
    }

    /// Returns the number of a device's schedules.
    package func count(ofDevice did: DeviceID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM schedule WHERE did = $1", did) ?? 0
    }

    /// Returns the number of a user's schedules.
    package func count(ofUser uid: UserID) throws -> Int64 {
        // The query reads the user's devices and their schedules, since schedules have no index by user.
        try sql.integer(
            "SELECT count(*) FROM binding AS b JOIN schedule AS s ON s.did = b.did AND s.uid = b.uid WHERE b.uid = $1",
            uid
        ) ?? 0
    }

    /// Returns a user's devices that have schedules, sorted by id, starting after `did`.
    package func devices(of uid: UserID, after did: String, limit: Int64) throws -> [DeviceID] {
        try sql.values(
            """
            SELECT b.did FROM binding AS b WHERE b.uid = $1 AND b.did > $2
                AND (b.guestUntil IS NULL OR b.guestUntil > $3)
                AND EXISTS (SELECT 1 FROM schedule AS s WHERE s.did = b.did)
            ORDER BY b.did LIMIT $4
            """,
            uid,
            did,
            now,
            limit
        )
    }

    /// Returns schedules in the order of their ids, starting after `id`.
    package func page(after id: String, did: DeviceID? = nil, limit: Int) throws -> [Schedule] {
        try schedules("WHERE scheduleId > $1 AND ($2 IS NULL OR did = $2) ORDER BY scheduleId LIMIT $3", id, did, limit)
    }

    private func schedules<each Value: ColumnValue>(_ clause: String, _ values: repeat each Value) throws -> [Schedule]
    { try sql.rows(of: ScheduleRow.table, clause, repeat each values).map(\.schedule) }

    // MARK: Writing

    /// Stores a new or changed schedule.
    ///
    /// `masked` contains the schedule's values except those of write-only data points. The values of write-only data
    /// points are stored encrypted.
    package func save(_ schedule: Schedule, masked: JSONObject) throws {
        try transaction.requireLock(of: schedule.did)
        try sql.run(ScheduleRow.table.upsert, ScheduleRow(schedule: schedule, masked: masked))
    }

    /// Stores the schedules' next occurrences, and whether the schedules are active.
    package func plan(_ schedules: [Schedule]) throws {
        try transaction.requireLocks(of: schedules.map(\.did))
        // Only columns with the role `.apart` are written, so `attrs` isn't written.
        try sql.run(Self.savePlan, each: schedules.map { ScheduleRow(schedule: $0, masked: $0.attrs) })
    }

    /// Deletes a schedule and its runs.
    package func delete(_ schedule: Schedule) throws {
        try transaction.requireLock(of: schedule.did)
        try sql.run("DELETE FROM schedule WHERE scheduleId = $1", schedule.id)
    }

    /// Returns schedules whose next occurrence is before a given moment, the earliest first.
    package func planned(before moment: Instant, limit: Int) throws -> [Schedule] {
        try schedules("WHERE nextAt IS NOT NULL AND nextAt < $1 ORDER BY nextAt, scheduleId LIMIT $2", moment, limit)
    }

    /// Returns a string that changes when a schedule is created, deleted or run.
    ///
    /// The string also changes when the time of the earliest next run changes.
    package func changeMark() throws -> String {
        let marks = try [
            "SELECT count(*) FROM schedule", "SELECT min(nextAt) FROM schedule WHERE nextAt IS NOT NULL",
            "SELECT max(dueAt) FROM scheduleRun", "SELECT count(*) FROM scheduleRun WHERE state = 'sent'",
        ].map { try sql.integer($0) ?? 0 }
        return marks.map { String($0) }.joined(separator: ".")
    }

    // MARK: Due schedules

    /// Returns the earliest next occurrence of all schedules, or nil if no schedule has one.
    package func nextDue() throws -> Instant? {
        try sql.value("SELECT min(nextAt) FROM schedule WHERE nextAt IS NOT NULL")
    }

    /// Returns at most `limit` triggers for the schedules that are due next in a period, the earliest first.
    ///
    /// A schedule is included if its next occurrence is after `start`, and not after `end`.
    package func due(after start: Instant, upTo end: Instant, limit: Int) throws -> [Trigger] {
        try sql.query(
            """
            SELECT scheduleId, nextAt FROM schedule
            WHERE nextAt IS NOT NULL AND nextAt > $1 AND nextAt <= $2
            ORDER BY nextAt, scheduleId LIMIT $3
            """,
            start,
            end,
            limit
        ) { Trigger($0.next(), dueAt: $0.next()) }
    }

    // MARK: Schedules to plan again

    /// Returns the schedules of a time zone in the order of their ids, starting after `id`.
    func ofZone(_ name: String, after id: String, limit: Int) throws -> [Schedule] {
        try schedules("WHERE timezone = $1 AND scheduleId > $2 ORDER BY scheduleId LIMIT $3", name, id, limit)
    }

    /// Returns a user's schedules that depend on the sun, sorted by id, starting after `id`.
    func bySun(of uid: String, after id: String, limit: Int) throws -> [Schedule] {
        try schedules("WHERE sun = 1 AND uid = $1 AND scheduleId > $2 ORDER BY scheduleId LIMIT $3", uid, id, limit)
    }
}
