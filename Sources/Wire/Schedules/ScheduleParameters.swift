package import Domain
package import JSON

/// The schedule fields that an app sets, where nil leaves a field unchanged or at its default.
package struct ScheduleParameters: Sendable, Equatable {
    /// The day of a one-time schedule.
    package var date: CalendarDate?
    /// The time of day.
    package var time: DayTime?
    /// The days of the week.
    package var weekDays: [Int64]?
    /// The days of the month.
    package var monthDays: [Int64]?
    /// The IANA name of the time zone.
    package var timezone: String?
    /// The values to set.
    package var attrs: JSONObject?
    /// The user's note on the schedule.
    package var remark: String?
    /// Whether the schedule is enabled.
    package var isEnabled: Bool?
    /// The rule for an occurrence that was missed: skip it, or run it late.
    package var misfire: Schedule.Misfire?

    /// The days on which the schedule runs, or nil if the request sets no days.
    ///
    /// Days of the week override days of the month, which override a date.
    package var days: Timing.Days? {
        if let weekDays { return .weekly(weekDays) }
        if let monthDays { return .monthly(monthDays) }
        return date.map { .once($0) }
    }

    /// The names of those fields of the request that are ignored.
    package var ignored: [String] {
        guard weekDays != nil || monthDays != nil else { return [] }
        return (date == nil ? [] : ["date"]) + (weekDays != nil && monthDays != nil ? ["monthDays"] : [])
    }

    /// Whether the request sets days, a time or a time zone.
    package var concernsTiming: Bool { days != nil || time != nil || timezone != nil }

    /// Makes parameters in which no field is set.
    package init() {}
}
