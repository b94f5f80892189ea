import Domain
import Wire

/// The computation of a schedule's times, which throws if a field of the request makes an occurrence impossible.
enum ScheduleTimes {
    /// Returns a new schedule's days; by default, the first day on which the schedule's time is in the future.
    static func days(
        _ parameters: ScheduleParameters,
        of schedule: Schedule,
        by calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Timing.Days {
        if let days = parameters.days { return days }
        let (zone, place) = try checkedFrame(schedule, &calendar)
        let day = ScheduleRules.firstDay(
            schedule.timing.time,
            zoneName: schedule.timing.zone,
            after: now,
            zone: zone,
            place: place
        )
        guard let day else { throw neverComes }
        return .once(day)
    }

    /// Sets a schedule's next occurrence after now; `hasDate` says that the request named the day.
    ///
    /// - Throws: `Rejection` if the schedule would never have an occurrence.
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
            throw Rejection.invalid(
                hasDate ? "params.date" : "params.time",
                reason(date, of: schedule.timing, zone: zone, place: place)
            )
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
            throw Rejection.invalid(
                "params.time",
                "Sunrise and sunset need a place: give the device's home or your profile latitude " + "and longitude."
            )
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
