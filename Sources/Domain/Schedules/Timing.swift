/// At which times a schedule acts, in the calendar of one time zone.
package struct Timing: Sendable, Equatable {
    /// The days.
    package enum Days: Sendable, Equatable {
        case once(CalendarDate)
        /// 1 Monday … 7 Sunday, ascending.
        case weekly([Int64])
        /// 1…31, ascending; a month without the day is skipped.
        case monthly([Int64])
    }

    /// The days.
    package var days: Days
    /// The time of the day.
    package var time: DayTime
    /// The IANA name of the zone.
    package var zone: String

    /// Puts times together.
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
