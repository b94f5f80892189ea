/// The rule for times after a zone's last known transition, in POSIX's `TZ` form.
///
/// An example is `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct ZoneFooter: Sendable, Equatable {
    /// A yearly change of the clocks, with its day and its time.
    struct Change: Sendable, Equatable {
        enum Day: Sendable, Equatable {
            /// A weekday of a month, such as the second Sunday in March.
            ///
            /// `weekday` counts from 0 for Sunday. `week` is 1 for the month's first such weekday, and 5 for the last.
            case weekday(month: Int64, week: Int64, weekday: Int64)
            /// A day of the year, 1 to 365, not counting the 29th of February.
            case julian(Int64)
            /// A day of the year, 0 to 365, counting the 29th of February.
            case dayOfYear(Int64)
        }

        var day: Day
        /// The time of the change, in seconds after midnight, as clocks show it before they are changed.
        ///
        /// The number can be negative or exceed a day.
        var seconds: Int64
    }

    private let standard: Int64
    private let summer: (offset: Int64, begin: Change, end: Change)?

    /// Whether the offset never changes.
    package var isFixed: Bool { summer == nil }

    package static func == (left: Self, right: Self) -> Bool {
        left.standard == right.standard && left.summer?.offset == right.summer?.offset
            && left.summer?.begin == right.summer?.begin && left.summer?.end == right.summer?.end
    }

    /// Parses a rule, or returns nil if the text isn't a rule.
    package init?(_ text: [UInt8]) {
        var reader = FooterReader(text)
        guard reader.skipName(), let standard = reader.offset() else { return nil }
        self.standard = -standard
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        let summerOffset = reader.isAt(",") ? self.standard + 3600 : reader.offset().map { -$0 }
        guard let summerOffset, let begin = reader.change(), let end = reader.change(), reader.isAtEnd else {
            return nil
        }
        summer = (summerOffset, begin, end)
    }

    /// Returns the offset from UTC at a given moment, in seconds.
    package func offset(at seconds: Int64) -> Int64 {
        changes(from: seconds - 400 * 86_400, to: seconds).last?.offset ?? standard
    }

    /// Returns the changes after `start` and up to `end`.
    ///
    /// The two moments must be at most a few years apart, because the changes of each year between them are computed.
    package func changes(from start: Int64, to end: Int64) -> [ZoneRules.Transition] {
        guard let summer, start < end else { return [] }
        let years = Self.year(start) - 1...Self.year(end) + 1
        return years.flatMap { year in
            [
                .init(at: summer.begin.moment(in: year) - standard, offset: summer.offset),
                .init(at: summer.end.moment(in: year) - summer.offset, offset: standard),
            ]
        }
        .filter { (change: ZoneRules.Transition) in change.at > start && change.at <= end }
        .sorted { $0.at < $1.at }
    }

    private static func year(_ seconds: Int64) -> Int64 {
        CalendarDate(day: (seconds >= 0 ? seconds : seconds - 86_399) / 86_400).parts.year
    }
}

extension ZoneFooter.Change {
    /// Returns the local time of the change in a year, in seconds since 1970-01-01.
    func moment(in year: Int64) -> Int64 { firstDay(of: year) * 86_400 + seconds }

    private func firstDay(of year: Int64) -> Int64 {
        let newYear = CalendarDate(year: year, month: 1, dayOfMonth: 1)?.day ?? 0
        switch day {
        case .dayOfYear(let number): return newYear + number
        case .julian(let number): return newYear + number - (CalendarDate.isLeap(year) && number >= 60 ? 0 : 1)
        case .weekday(let month, let week, let weekday):
            let first = CalendarDate(year: year, month: month, dayOfMonth: 1)
            guard let first else { return newYear }
            let ahead = (weekday - first.weekday % 7 + 7) % 7
            let length = CalendarDate.length(ofMonth: month, year: year)
            var dayOfMonth = ahead + (week - 1) * 7
            if dayOfMonth >= length { dayOfMonth -= 7 }
            return first.day + dayOfMonth
        }
    }
}

/// A parser of the parts of a rule.
private struct FooterReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) { rest = text[...] }

    var isAtEnd: Bool { rest.isEmpty }

    func isAt(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips a zone's abbreviation (letters, or text in angle brackets), or returns false if there is no abbreviation.
    mutating func skipName() -> Bool {
        let before = rest.count
        if take("<") {
            rest = rest.drop { $0 != UInt8(ascii: ">") }
            return take(">")
        }
        rest = rest.drop(while: \.isLetter)
        return rest.count < before
    }

    private mutating func number() -> Int64? {
        let digits = rest.prefix(while: \.isDigit).prefix(4)
        rest = rest.dropFirst(digits.count)
        return Digits.number(digits)
    }

    /// Reads `[+-]hh[:mm[:ss]]` as seconds.
    mutating func offset() -> Int64? {
        let sign: Int64 = take("-") ? -1 : 1
        if sign == 1 { _ = take("+") }
        guard var seconds = number().map({ $0 * 3600 }) else { return nil }
        for unit in [60, 1] as [Int64] {
            guard take(":") else { break }
            guard let value = number() else { return nil }
            seconds += value * unit
        }
        return sign * seconds
    }

    /// Reads `,date[/time]`.
    mutating func change() -> ZoneFooter.Change? {
        guard take(","), let day = day() else { return nil }
        guard take("/") else { return ZoneFooter.Change(day: day, seconds: 7200) }
        return offset().map { ZoneFooter.Change(day: day, seconds: $0) }
    }

    private mutating func day() -> ZoneFooter.Change.Day? {
        if take("J") { return number().flatMap { (1...365).contains($0) ? .julian($0) : nil } }
        guard take("M") else { return number().flatMap { (0...365).contains($0) ? .dayOfYear($0) : nil } }
        guard let month = number(), take("."), let week = number(), take("."),
            let weekday = number(), (1...12).contains(month), (1...5).contains(week),
            (0...6).contains(weekday)
        else { return nil }
        return .weekday(month: month, week: week, weekday: weekday)
    }
}
