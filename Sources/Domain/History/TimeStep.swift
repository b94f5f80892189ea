/// A time step for summaries: minutes, hours, days, weeks, months or, in charts, seconds.
///
/// Seconds, minutes and hours have a fixed length and are counted from the Unix epoch. Days, weeks (from Monday) and
/// months follow a time zone. A day on which the zone's clocks change is longer or shorter.
package struct TimeStep: Sendable, Equatable {
    /// The unit of a step.
    package enum Unit: Character, Sendable, CaseIterable {
        case second = "s"
        case minute = "m"
        case hour = "h"
        case day = "d"
        case week = "w"
        case month = "M"

        /// The maximum number of units in one step.
        fileprivate var countMax: Int64 {
            switch self {
            case .second: 3600
            case .minute: 1440
            case .hour: 168
            case .day: 366
            case .week: 53
            case .month: 12
            }
        }
    }

    /// A function that returns how many seconds a zone's clocks are ahead of UTC at a given moment.
    package typealias Offset = @Sendable (Instant) -> Int64

    /// The step's unit.
    package let unit: Unit
    /// The number of units in the step.
    package let count: Int64

    /// Parses a text such as `15m`, `1h`, `1d`, `1w` or `1M`, or returns nil for any other text.
    ///
    /// If `isFine` is true, seconds such as `5s` are allowed too.
    package init?(_ text: String, isFine: Bool = false) {
        guard let unit = text.last.flatMap(Unit.init(rawValue:)), text.utf8.count <= 6,
            text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(text.dropLast()),
            (1...unit.countMax).contains(count), isFine || unit != .second
        else { return nil }
        (self.unit, self.count) = (unit, count)
    }

    /// Whether the step depends on a time zone.
    package var isCalendar: Bool { unit == .day || unit == .week || unit == .month }

    /// Returns the bounds of the step that contains a given moment.
    package func bounds(of moment: Instant, offset: Offset) -> Range<Instant> {
        guard isCalendar else {
            let length = count * (unit == .hour ? 3_600_000 : unit == .minute ? 60_000 : 1000)
            let start = floor(moment.milliseconds, length) * length
            return Instant(milliseconds: start)..<Instant(milliseconds: start + length)
        }
        let day = CivilDay.number(of: moment, offset)
        let (first, next) = days(around: day)
        let start = CivilDay.start(first, offset)
        return start..<max(CivilDay.start(next, offset), Instant(milliseconds: start.milliseconds + 1))
    }

    /// Returns the first day of the step that contains a given day, and the first day of the next step.
    private func days(around day: Int64) -> (first: Int64, next: Int64) {
        switch unit {
        case .week:
            // Day 0 was a Thursday.
            let week = floor(floor(day + 3, 7), count) * count
            return (week * 7 - 3, (week + count) * 7 - 3)
        case .month:
            let month = floor(CivilDay.month(of: day), count) * count
            return (CivilDay.first(ofMonth: month), CivilDay.first(ofMonth: month + count))
        default:
            let first = floor(day, count) * count
            return (first, first + count)
        }
    }
}

/// Functions for calendar days and months, which are represented by numbers.
///
/// A day's number counts the days since 1970-01-01. A month's number counts the months since January of year 0.
enum CivilDay {
    private static let length: Int64 = 86_400

    /// Returns the day that contains a given moment.
    static func number(of moment: Instant, _ offset: TimeStep.Offset) -> Int64 {
        floor(floor(moment.milliseconds, 1000) + offset(moment), length)
    }

    /// Returns the first moment of a day, or of the next day if clocks skip the whole day.
    static func start(_ day: Int64, _ offset: TimeStep.Offset) -> Instant {
        let midnight = day * length
        // The zone's offset at local midnight isn't known yet, but it equals the offset a day earlier or a day later.
        let candidates = [-length, 0, length].map { (away: Int64) in
            let near = Instant(milliseconds: (midnight + away) * 1000)
            return Instant(milliseconds: (midnight - offset(near)) * 1000)
        }
        return candidates.filter { number(of: $0, offset) >= day }.min() ?? Instant(milliseconds: midnight * 1000)
    }

    /// Returns the month of a day.
    static func month(of day: Int64) -> Int64 {
        let (year, month, _) = CalendarDate(day: day).parts
        return year * 12 + month - 1
    }

    /// Returns the first day of a month.
    static func first(ofMonth number: Int64) -> Int64 {
        let year = floor(number, 12)
        return CalendarDate.day(year: year, month: number - year * 12 + 1, dayOfMonth: 1)
    }
}

/// Divides a number and rounds the quotient down.
private func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : (number + 1) / divisor - 1
}
