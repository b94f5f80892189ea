/// The times at which a schedule acts, in the calendar of one time zone.
package struct Timing: Sendable, Equatable {
    /// The days on which a schedule acts.
    package enum Days: Sendable, Equatable {
        case once(CalendarDate)
        /// Days of the week in ascending order, from 1 for Monday to 7 for Sunday.
        case weekly([Int64])
        /// Days of the month in ascending order. In a month without one of the days, that day is skipped.
        case monthly([Int64])
    }

    /// The days on which the schedule acts.
    package var days: Days
    /// The time of day at which the schedule acts.
    package var time: DayTime
    /// The IANA name of the time zone.
    package var zone: String

    /// Makes a timing.
    package init(days: Days, time: DayTime, zone: String) {
        (self.days, self.time, self.zone) = (days, time, zone)
    }

    /// Returns whether the schedule acts on a day.
    package func includes(_ date: CalendarDate) -> Bool {
        switch days {
        case .once(let day): day == date
        case .weekly(let weekdays): weekdays.contains(date.weekday)
        case .monthly(let monthDays): monthDays.contains(date.parts.dayOfMonth)
        }
    }
}
