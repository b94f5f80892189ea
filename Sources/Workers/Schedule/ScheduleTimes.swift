import Domain
import JSON
import Storage
import Wire

/// Finds a schedule's times, or says which field stands in their way.
enum ScheduleTimes {
    /// The days that a new schedule is given; without any the first on which its time still comes.
    static func days(
        _ wish: ScheduleWish,
        _ schedule: Schedule,
        _ calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws -> Timing.Days {
        if let days = wish.days { return days }
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

    /// Sets when a schedule acts next, from now on; `hasDate` where the request named the day.
    ///
    /// - Throws: `Rejection` where it would never act.
    static func plan(
        _ schedule: inout Schedule,
        hasDate: Bool,
        _ calendar: inout ScheduleCalendar,
        at now: Instant
    ) throws {
        let (zone, place) = try checkedFrame(schedule, &calendar)
        let next = ScheduleRules.next(of: schedule.timing, after: now, zone: zone, place: place)
        guard let next else {
            guard case .once(let date) = schedule.timing.days else { throw neverComes }
            throw Rejection.invalid(
                hasDate ? "params.date" : "params.time",
                reason(date, schedule.timing, zone, place)
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
            throw Rejection.invalid("params.timezone", "params.timezone is no IANA time zone.")
        }
        let frame = try calendar.frame(of: schedule)
        if schedule.timing.time.needsPlace, frame.place == nil {
            throw Rejection.invalid(
                "params.time",
                "Sunrise and sunset need a place: give the device's home or your profile latitude "
                    + "and longitude."
            )
        }
        return frame
    }

    private static let neverComes = Rejection.invalid(
        "params.time",
        "The sun never rises or sets at that place on these days."
    )

    /// Why a day doesn't bring a one-time schedule's occurrence.
    private static func reason(
        _ date: CalendarDate,
        _ timing: Timing,
        _ zone: ZoneRules,
        _ place: Location?
    ) -> String {
        switch ScheduleRules.occurrence(of: timing, on: date, zone: zone, place: place) {
        case .at: "That time has passed already."
        case .polarDay: "The sun does not set at that place on \(date): it is polar day."
        case .polarNight: "The sun does not rise at that place on \(date): it is polar night."
        case .none: "That event of the sun does not fall on \(date) at that place."
        }
    }
}
