import Domain
import Wire

/// The computation of a schedule's times, which throws if no occurrence is possible.
enum ScheduleTimes {
    /// Returns the days that a new schedule's creator gave, or else the day on which the given time comes next.
    static func days(
        _ parameters: ScheduleParameters,
        of schedule: Schedule,
        by calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Timing.Days {
        if let days = parameters.days { return days }
        let (zone, place) = try checkedFrame(schedule, &calendar)
        let (time, name) = (schedule.timing.time, schedule.timing.zone)
        let day = ScheduleRules.firstDay(time, zoneName: name, after: now, zone: zone, place: place)
        guard let day else { throw neverComes }
        return .once(day)
    }

    /// Sets a schedule's next occurrence, or throws if no occurrence is possible.
    static func plan(
        _ schedule: inout Schedule,
        hasDate: Bool,
        by calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws {
        let (zone, place) = try checkedFrame(schedule, &calendar)
        let next = ScheduleRules.next(of: schedule.timing, after: now, zone: zone, place: place)
        guard let next else {
            guard case .once(let date) = schedule.timing.days else { throw neverComes }
            let reason = reason(date, of: schedule.timing, zone: zone, place: place)
            throw Rejection.invalid(hasDate ? "params.date" : "params.time", reason)
        }
        schedule.activeSince = now
        schedule.nextAt = schedule.isEnabled ? next : nil
    }

    private static func checkedFrame(
        _ schedule: Schedule,
        _ calendar: inout ScheduleCalendar
    ) throws -> (zone: ZoneRules, place: Location?) {
        guard try calendar.zone(schedule.timing.zone) != nil else {
            throw Rejection.invalid("params.timezone", "params.timezone is not an IANA time zone.")
        }
        let frame = try calendar.frame(of: schedule)
        if schedule.timing.time.needsPlace, frame.place == nil {
            let why = "For sunrise and sunset, set latitude and longitude in the device's home or in your profile."
            throw Rejection.invalid("params.time", why)
        }
        return frame
    }

    private static let neverComes = Rejection.invalid(
        "params.time",
        "The sun never rises or sets at that place on these days."
    )

    /// Returns the reason why a day has no occurrence of a one-time schedule.
    private static func reason(_ date: CalendarDate, of timing: Timing, zone: ZoneRules, place: Location?) -> String {
        switch ScheduleRules.outcome(of: timing, on: date, zone: zone, place: place) {
        case .at: "That time has already passed."
        case .polarDay: "The sun does not set at that place on \(date): it is polar day."
        case .polarNight: "The sun does not rise at that place on \(date): it is polar night."
        case .none: "There is no such sunrise or sunset on \(date) at that place."
        }
    }
}
