package import Domain
package import JSON
import Sodium

/// The table of schedules: commands that are sent at certain times.
package struct ScheduleTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    static let columns = """
        scheduleId, did, uid, appId, date, weekDays, monthDays, time, timezone, attrs, secretAttrs,
        remark, enabled, misfire, createdAt, activeSince, updatedAt, nextAt
        """

    func schedule(_ row: Row) -> Schedule {
        var schedule = Schedule(
            id: ScheduleID(trusted: row.text(0)),
            did: DeviceID(trusted: row.text(1)),
            creator: UserID(trusted: row.text(2)),
            app: AppID(trusted: row.text(3)),
            timing: Timing(
                days: Self.days(row.optionalText(4), row.integer(5), row.integer(6)),
                time: DayTime(row.text(7)) ?? .clock(0),
                zone: row.text(8)
            ),
            attrs: attrs(row),
            remark: row.text(11),
            isEnabled: row.bool(12),
            misfire: Schedule.Misfire(rawValue: row.text(13)) ?? .skip,
            createdAt: Instant(milliseconds: row.integer(14)),
            nextAt: row.optionalInteger(17).map { Instant(milliseconds: $0) }
        )
        schedule.activeSince = Instant(milliseconds: row.integer(15))
        schedule.updatedAt = Instant(milliseconds: row.integer(16))
        return schedule
    }

    /// Returns the values to set; those with a write-only one are sealed, and masked where nothing is to be
    /// set with them.
    private func attrs(_ row: Row) -> JSONObject {
        if let sealed = row.optionalBytes(10), let bytes = transaction.key.open(sealed),
            let attrs = (try? JSONValue.parse(bytes[...]))?.objectValue
        {
            return attrs
        }
        return row.withBytes(9, text: true) { try? JSONValue.parse($0) }?.objectValue ?? [:]
    }

    private static func days(_ date: String?, _ weekDays: Int64, _ monthDays: Int64) -> Timing.Days
    {
        if let date = date.flatMap({ CalendarDate($0) }) { return .once(date) }
        if weekDays != 0 { return .weekly(numbers(weekDays)) }
        return .monthly(numbers(monthDays))
    }

    private static func numbers(_ mask: Int64) -> [Int64] {
        (1...31).filter { mask >> $0 & 1 == 1 }
    }

    private static func mask(_ numbers: [Int64]) -> Int64 {
        numbers.reduce(0) { $0 | 1 << $1 }
    }

    // MARK: Reading

    /// Returns a schedule, or nil.
    package func find(_ id: ScheduleID) throws -> Schedule? {
        var found: Schedule?
        try load([id]) { found = $1 }
        return found
    }

    /// Hands over each schedule that exists, with its index in the request.
    package func load(_ ids: [ScheduleID], _ body: (Int, Schedule) -> Void) throws {
        try sql.query(
            "SELECT \(Self.columns) FROM schedule WHERE scheduleId = $1",
            each: ids.indices
        ) {
            $0.add(ids[$1].text)
        } row: {
            body($0, schedule($1))
        }
    }

    /// Returns a device's schedules, in the order of their making.
    package func all(of did: DeviceID) throws -> [Schedule] {
        try sql.query("SELECT \(Self.columns) FROM schedule WHERE did = $1 ORDER BY scheduleId") {
            $0.add(did.text)
        } row: {
            schedule($0)
        }
    }

    /// Returns how many schedules a device has.
    package func count(of did: DeviceID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM schedule WHERE did = $1") { $0.add(did.text) } ?? 0
    }

    /// Returns devices of a user that have schedules, in the order of their ids, from behind one on.
    package func devices(of uid: UserID, after did: String, limit: Int64) throws -> [DeviceID] {
        try sql.query(
            """
            SELECT b.did FROM binding AS b WHERE b.uid = $1 AND b.did > $2
                AND (b.guestUntil IS NULL OR b.guestUntil > $3)
                AND EXISTS (SELECT 1 FROM schedule AS s WHERE s.did = b.did)
            ORDER BY b.did LIMIT $4
            """
        ) {
            $0.add(uid.text)
            $0.add(did)
            $0.add(transaction.now.milliseconds)
            $0.add(limit)
        } row: {
            DeviceID(trusted: $0.text(0))
        }
    }

    /// Returns schedules in the order of their ids, from behind one on.
    package func page(after id: String, did: DeviceID? = nil, limit: Int) throws -> [Schedule] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM schedule
            WHERE scheduleId > $1 AND ($2 IS NULL OR did = $2) ORDER BY scheduleId LIMIT $3
            """
        ) {
            $0.add(id)
            $0.add(did?.text)
            $0.add(limit)
        } row: {
            schedule($0)
        }
    }

    // MARK: Writing

    /// Writes schedules, new or changed.
    ///
    /// `masked` hides the values of write-only data points; what they hide is sealed.
    package func save(_ schedule: Schedule, masked: JSONObject) throws {
        let (date, weekDays, monthDays): (String?, Int64, Int64) =
            switch schedule.timing.days {
            case .once(let date): (date.description, 0, 0)
            case .weekly(let days): (nil, Self.mask(days), 0)
            case .monthly(let days): (nil, 0, Self.mask(days))
            }
        let isSecret = masked != schedule.attrs
        try sql.run(
            """
            INSERT INTO schedule (\(Self.columns), sun)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                $18, $19)
            ON CONFLICT (scheduleId) DO UPDATE SET
                date = excluded.date, weekDays = excluded.weekDays,
                monthDays = excluded.monthDays, time = excluded.time, sun = excluded.sun,
                timezone = excluded.timezone, attrs = excluded.attrs,
                secretAttrs = excluded.secretAttrs, remark = excluded.remark,
                enabled = excluded.enabled, misfire = excluded.misfire,
                activeSince = excluded.activeSince, updatedAt = excluded.updatedAt,
                nextAt = excluded.nextAt
            """
        ) { binder in
            binder.add(schedule.id.text)
            binder.add(schedule.did.text)
            binder.add(schedule.creator.text)
            binder.add(schedule.app.text)
            binder.add(date)
            binder.add(weekDays)
            binder.add(monthDays)
            binder.add(schedule.timing.time.description)
            binder.add(schedule.timing.zone)
            binder.add(text: masked.encoded())
            binder.add(
                bytes: isSecret ? transaction.key.seal(schedule.attrs.encoded()) : nil
            )
            binder.add(schedule.remark)
            binder.add(schedule.isEnabled)
            binder.add(schedule.misfire.rawValue)
            binder.add(schedule.createdAt.milliseconds)
            binder.add(schedule.activeSince.milliseconds)
            binder.add(schedule.updatedAt.milliseconds)
            binder.add(schedule.nextAt?.milliseconds)
            binder.add(schedule.timing.time.needsPlace)
        }
    }

    /// Writes when schedules act next, and whether they act at all.
    package func plan(_ schedules: [Schedule]) throws {
        try sql.run(
            """
            UPDATE schedule SET nextAt = $1, enabled = $2, updatedAt = $3 WHERE scheduleId = $4
            """,
            each: schedules
        ) { binder, schedule in
            binder.add(schedule.nextAt?.milliseconds)
            binder.add(schedule.isEnabled)
            binder.add(schedule.updatedAt.milliseconds)
            binder.add(schedule.id.text)
        }
    }

    /// Removes a schedule with its runs.
    package func delete(_ id: ScheduleID) throws {
        try sql.run("DELETE FROM schedule WHERE scheduleId = $1") { $0.add(id.text) }
    }

    // MARK: What is due

    /// Returns when the next schedule acts; nil when none does.
    package func nextDue() throws -> Instant? {
        try sql.integer("SELECT min(nextAt) FROM schedule WHERE nextAt IS NOT NULL")
            .map { Instant(milliseconds: $0) }
    }

    /// Returns occurrences that lie after one moment and at or before another, the earliest first.
    package func due(after start: Instant, upTo end: Instant, limit: Int) throws -> [Trigger] {
        try sql.query(
            """
            SELECT scheduleId, nextAt FROM schedule
            WHERE nextAt IS NOT NULL AND nextAt > $1 AND nextAt <= $2
            ORDER BY nextAt, scheduleId LIMIT $3
            """
        ) {
            $0.add(start.milliseconds)
            $0.add(end.milliseconds)
            $0.add(limit)
        } row: {
            Trigger(
                ScheduleID(trusted: $0.text(0)),
                dueAt: Instant(milliseconds: $0.integer(1))
            )
        }
    }

    // MARK: Schedules to plan again

    /// Returns schedules of a zone, from behind one on.
    func ofZone(_ name: String, after id: String, limit: Int) throws -> [Schedule] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM schedule
            WHERE timezone = $1 AND scheduleId > $2 ORDER BY scheduleId LIMIT $3
            """
        ) {
            $0.add(name)
            $0.add(id)
            $0.add(limit)
        } row: {
            schedule($0)
        }
    }

    /// Returns schedules by the sun that a user made, from behind one on.
    func bySun(of uid: String, after id: String, limit: Int) throws -> [Schedule] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM schedule
            WHERE sun = 1 AND uid = $1 AND scheduleId > $2 ORDER BY scheduleId LIMIT $3
            """
        ) {
            $0.add(uid)
            $0.add(id)
            $0.add(limit)
        } row: {
            schedule($0)
        }
    }
}
