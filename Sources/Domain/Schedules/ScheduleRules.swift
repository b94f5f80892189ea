/// The rules that decide when schedules act, as pure functions.
///
/// The documentation describes these rules (reference: schedules#when).
package enum ScheduleRules {
    /// The number of days that are searched for the next occurrence.
    ///
    /// Near a pole, the sun rises only once a year. Years can pass before a sunrise falls on one of the schedule's
    /// days.
    private static let daysMax: Int64 = 3660
    /// The maximum number of days between an occurrence and the calendar day for which it is scheduled.
    ///
    /// A time relative to sunrise or sunset can fall on a day before or after the scheduled day. If a time zone skips a
    /// calendar day, the occurrence that is scheduled for the skipped day also falls on another day.
    private static let reach: Int64 = 3

    /// An occurrence of a schedule on one day, or why there isn't one.
    package enum DayOutcome: Sendable, Equatable {
        case at(Instant)
        /// The sun stays above the horizon all day.
        case polarDay
        /// The sun stays below the horizon all day.
        case polarNight
        /// No place is known, or no sunrise or sunset falls on the day.
        ///
        /// Days without sunrise or sunset occur near the polar circles, where these events move by many minutes per
        /// day.
        case none
    }

    /// Returns when a schedule acts on a day, or why it doesn't act.
    package static func outcome(
        of timing: Timing,
        on date: CalendarDate,
        zone: ZoneRules,
        place: Location?
    ) -> DayOutcome {
        switch timing.time {
        case .clock(let minutes):
            let seconds = zone.first(local: date.day * 86_400 + minutes * 60)
            return .at(Instant(milliseconds: seconds * 1000))
        case .sun(let event, let minutes):
            guard let place else { return .none }
            let outcome = SunRules.outcome(event, on: date, at: place, zone: zone)
            guard case .at(let moment) = outcome else { return outcome }
            return .at(moment.adding(seconds: minutes * 60))
        }
    }

    /// Returns a schedule's first occurrence after a given moment, or nil if none follows.
    package static func next(of timing: Timing, after moment: Instant, zone: ZoneRules, place: Location?) -> Instant? {
        guard place != nil || !timing.time.needsPlace else { return nil }
        if case .once(let date) = timing.days {
            guard
                case .at(let instant) = outcome(of: timing, on: date, zone: zone, place: place),
                instant > moment
            else { return nil }
            return instant
        }
        let start = zone.date(at: seconds(moment)).adding(days: -reach)
        for ahead in 0..<daysMax + reach {
            let date = start.adding(days: ahead)
            // Later days have later occurrences, so the first match is the next occurrence.
            guard timing.includes(date),
                case .at(let instant) = outcome(of: timing, on: date, zone: zone, place: place), instant > moment
            else { continue }
            return instant
        }
        return nil
    }

    /// Returns the next day that the schedule includes, if that day is a polar day or a polar night.
    ///
    /// The result is nil if that day is an ordinary day, or if the schedule includes no day in the next two months.
    package static func polar(
        _ timing: Timing,
        after moment: Instant,
        zone: ZoneRules,
        place: Location
    ) -> (date: CalendarDate, outcome: DayOutcome)? {
        let today = zone.date(at: seconds(moment))
        for ahead in 0..<62 {
            let date = today.adding(days: Int64(ahead))
            guard timing.includes(date) else { continue }
            let outcome = outcome(of: timing, on: date, zone: zone, place: place)
            switch outcome {
            case .at(let instant) where instant <= moment: continue
            case .at, .none: return nil
            case .polarDay, .polarNight: return (date, outcome)
            }
        }
        return nil
    }

    /// Returns the day of a new schedule whose creator gave a time of day but no day.
    ///
    /// The result is the calendar day for which a daily schedule at this time would have its first occurrence. The
    /// result is nil if the time never comes.
    package static func firstDay(
        _ time: DayTime,
        zoneName: String,
        after moment: Instant,
        zone: ZoneRules,
        place: Location?
    ) -> CalendarDate? {
        let every = Timing(days: .weekly([1, 2, 3, 4, 5, 6, 7]), time: time, zone: zoneName)
        guard let next = next(of: every, after: moment, zone: zone, place: place) else { return nil }
        let near = zone.date(at: seconds(next))
        return (-reach...reach).map { near.adding(days: $0) }.first {
            outcome(of: every, on: $0, zone: zone, place: place) == .at(next)
        }
    }

    private static func seconds(_ moment: Instant) -> Int64 { moment.milliseconds / 1000 }
}
