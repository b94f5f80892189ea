package import Domain
package import JSON

/// The fields of a schedule that an app sets; nil ones stay unchanged, or take their default.
package struct ScheduleParameters: Sendable, Equatable {
    /// The day of a one-time schedule.
    package var date: CalendarDate?
    /// The time of day.
    package var time: DayTime?
    /// The days of the week.
    package var weekDays: [Int64]?
    /// The days of the month.
    package var monthDays: [Int64]?
    /// The zone's name.
    package var timezone: String?
    /// The values to set.
    package var attrs: JSONObject?
    /// A note.
    package var remark: String?
    /// Whether the schedule is active.
    package var isEnabled: Bool?
    /// The treatment of a missed occurrence.
    package var misfire: Schedule.Misfire?

    /// The days in effect; nil if none is set.
    ///
    /// Weekly days take precedence over monthly ones, and these over a date.
    package var days: Timing.Days? {
        if let weekDays { return .weekly(weekDays) }
        if let monthDays { return .monthly(monthDays) }
        return date.map { .once($0) }
    }

    /// The fields that are set but ignored.
    package var ignored: [String] {
        guard weekDays != nil || monthDays != nil else { return [] }
        return (date == nil ? [] : ["date"]) + (weekDays != nil && monthDays != nil ? ["monthDays"] : [])
    }

    /// Whether a field of the timing is set.
    package var concernsTiming: Bool { days != nil || time != nil || timezone != nil }

    /// Sets no fields.
    package init() {}
}
