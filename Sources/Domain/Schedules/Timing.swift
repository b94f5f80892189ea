/// The times at which a schedule acts, in the calendar of one time zone.
package struct Timing: Sendable, Equatable {
    /// The days.
    package enum Days: Sendable, Equatable {
        case once(CalendarDate)
        /// Days of the week, from 1 for Monday to 7 for Sunday, ascending.
        case weekly([Int64])
        /// Days of the month, ascending; a month without the day is skipped.
        case monthly([Int64])
    }

    /// The days.
    package var days: Days
    /// The time of the day.
    package var time: DayTime
    /// The IANA name of the zone.
    package var zone: String

    /// Makes a timing.
    package init(days: Days, time: DayTime, zone: String) {
        self.days = days
        self.time = time
        self.zone = zone
    }

    /// Returns whether a day is one of them.
    package func includes(_ date: CalendarDate) -> Bool {
        switch days {
        case .once(let day): day == date
        case .weekly(let weekdays): weekdays.contains(date.weekday)
        case .monthly(let monthDays): monthDays.contains(date.parts.dayOfMonth)
        }
    }
}
