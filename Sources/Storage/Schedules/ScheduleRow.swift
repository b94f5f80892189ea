import Domain
import JSON

/// A stored schedule.
struct ScheduleRow: TableRow {
    var schedule: Schedule
    /// The values that the schedule's command sets, except those of write-only data points.
    var masked: JSONObject

    static let table = Table<ScheduleRow>("schedule")

    static func map(_ column: inout ColumnMapper<ScheduleRow>) -> ScheduleRow {
        let masked = column("attrs", \.masked, as: .changing)
        let secret = column.sealed("secretAttrs", \.secretValues, as: .changing)
        var schedule = Schedule(
            id: column("scheduleId", \.schedule.id, as: .key),
            did: column("did", \.schedule.did),
            creator: column("uid", \.schedule.creator),
            app: column("appId", \.schedule.app),
            timing: timing(&column),
            attrs: secret.flatMap { try? JSONValue.parse($0).objectValue } ?? masked,
            remark: column("remark", \.schedule.remark, as: .changing),
            isEnabled: column("enabled", \.schedule.isEnabled, as: [.changing, .apart]),
            misfire: column("misfire", \.schedule.misfire, as: .changing),
            createdAt: column("createdAt", \.schedule.createdAt),
            nextAt: column("nextAt", \.schedule.nextAt, as: [.changing, .apart])
        )
        schedule.activeSince = column("activeSince", \.schedule.activeSince, as: .changing)
        schedule.updatedAt = column("updatedAt", \.schedule.updatedAt, as: [.changing, .apart])
        return ScheduleRow(schedule: schedule, masked: masked)
    }

    private static func timing(_ column: inout ColumnMapper<ScheduleRow>) -> Timing {
        let date = column("date", \.days.date, as: .changing)
        let weekDays = column("weekDays", \.days.weekDays, as: .changing)
        let monthDays = column("monthDays", \.days.monthDays, as: .changing)
        let time = column("time", \.schedule.timing.time.description, as: .changing)
        // An index on this column finds the schedules that run at sunrise or sunset. The times of these schedules
        // depend on the place of the user who created them.
        _ = column("sun", \.schedule.timing.time.needsPlace, as: .changing)
        return Timing(
            days: days(date, weekDays: weekDays, monthDays: monthDays),
            time: DayTime(time) ?? .clock(0),
            zone: column("timezone", \.schedule.timing.zone, as: .changing)
        )
    }

    /// The command's encoded values, or nil if no value belongs to a write-only data point.
    private var secretValues: [UInt8]? {
        masked == schedule.attrs ? nil : schedule.attrs.encoded()
    }

    /// The schedule's days: a date, or bits for days of the week or month.
    private var days: (date: String?, weekDays: Int64, monthDays: Int64) {
        switch schedule.timing.days {
        case .once(let date): (date.description, 0, 0)
        case .weekly(let days): (nil, Self.mask(days), 0)
        case .monthly(let days): (nil, 0, Self.mask(days))
        }
    }

    private static func days(_ date: String?, weekDays: Int64, monthDays: Int64) -> Timing.Days {
        if let date = date.flatMap({ CalendarDate($0) }) { return .once(date) }
        if weekDays != 0 { return .weekly(numbers(weekDays)) }
        return .monthly(numbers(monthDays))
    }

    private static func numbers(_ mask: Int64) -> [Int64] { (1...31).filter { mask >> $0 & 1 == 1 } }

    private static func mask(_ numbers: [Int64]) -> Int64 {
        numbers.reduce(0) { $0 | 1 << $1 }
    }
}
