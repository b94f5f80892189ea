/// The rules for when schedules act: pure functions of times, zone rules, place and moment.
///
/// The rules in words (reference: schedules#when).
package enum ScheduleRules {
    /// The days that are searched for the next occurrence: a sunrise near a pole happens once a year, and must fall on
    /// the right day of the week.
    private static let daysMax: Int64 = 3660
    /// The largest distance of a time by the sun, or of a skipped day's end, from its day, in days.
    private static let reach: Int64 = 3

    /// What a schedule does on a day.
    package enum DayOutcome: Sendable, Equatable {
        case at(Instant)
        /// The sun stays up all day.
        case polarDay
        /// The sun stays down all day.
        case polarNight
        /// There is no occurrence: the sun's event, which moves by more than a few minutes a day near the polar
        /// circles, falls on the neighbouring days, or there is no place.
        case none
    }

    /// Returns when a schedule acts on a day, or why it doesn't; the day must be one of its days.
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

    /// Returns the first occurrence after a moment; nil if there is none.
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
            // Occurrences are in the order of their days.
            guard timing.includes(date),
                case .at(let instant) = outcome(of: timing, on: date, zone: zone, place: place), instant > moment
            else { continue }
            return instant
        }
        return nil
    }

    /// Returns the schedule's next day after a moment if it is a polar day or night, or nil.
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

    /// Returns the first day on which a time is still to come, for a schedule that names no day.
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
