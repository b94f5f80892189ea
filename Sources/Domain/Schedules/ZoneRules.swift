/// The rules of one time zone: its offset from UTC at each moment.
///
/// The rules come from the system's TZif file (RFC 8536). The file contains the known transitions and a rule for later
/// times. Files with equal bytes give equal rules.
package struct ZoneRules: Sendable, Equatable {
    /// A change of the offset.
    package struct Transition: Sendable, Equatable {
        /// The moment of the change, in seconds since the Unix epoch.
        package var at: Int64
        /// The offset after the change, in seconds east of UTC.
        package var offset: Int64
    }

    private let firstOffset: Int64
    private let known: [Transition]
    private let later: ZoneFooter?

    /// The rules of UTC.
    package static let utc = ZoneRules(firstOffset: 0, known: [], later: nil)

    /// Makes the rules of a zone.
    package init(firstOffset: Int64, known: [Transition], later: ZoneFooter?) {
        (self.firstOffset, self.known, self.later) = (firstOffset, known, later)
    }

    /// The largest possible offset from UTC in either direction, in seconds.
    private static let offsetMax: Int64 = 93_600

    /// Returns the offset at a given moment, in seconds east of UTC.
    package func offset(at seconds: Int64) -> Int64 {
        if let later, seconds >= known.last?.at ?? .min { return later.offset(at: seconds) }
        let place = Self.place(of: seconds, in: known)
        return place == 0 ? firstOffset : known[place - 1].offset
    }

    /// Returns the calendar day on which a moment falls.
    package func date(at seconds: Int64) -> CalendarDate {
        let local = seconds + offset(at: seconds)
        return CalendarDate(day: (local >= 0 ? local : local - 86_399) / 86_400)
    }

    /// Returns the first moment at which the zone's clocks show the given local time or a later one.
    ///
    /// For a local time that a change skips, the result is the end of the gap. For a local time that occurs twice, the
    /// result is the first occurrence. `local` is the number of seconds from 1970-01-01 to the local time, computed as
    /// if the zone were UTC.
    package func first(local: Int64) -> Int64 {
        var start = local - Self.offsetMax
        var offset = offset(at: start)
        for change in changes(from: start, to: local + Self.offsetMax) {
            if local - offset < change.at { return max(local - offset, start) }
            start = change.at
            offset = change.offset
        }
        return max(local - offset, start)
    }

    /// Returns the changes after `start` and up to `end`.
    private func changes(from start: Int64, to end: Int64) -> ArraySlice<Transition> {
        let places = Self.place(of: start, in: known)..<Self.place(of: end, in: known)
        guard let later, places.upperBound == known.count, !later.isFixed else { return known[places] }
        let border = max(start, known.last?.at ?? .min)
        return known[places] + later.changes(from: border, to: end)
    }

    /// Returns the number of transitions at or before a given moment.
    private static func place(of seconds: Int64, in transitions: [Transition]) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= seconds { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ZoneRules {
    /// Returns a moment as the zone's clocks show it, such as `2026-11-21T07:00:00+01:00`.
    package func text(at seconds: Int64) -> String {
        let offset = offset(at: seconds)
        let date = date(at: seconds)
        let time = seconds + offset - date.day * 86_400
        return "\(date)T\(Self.clock(time)):\(Digits.text(time % 60, width: 2))" + (offset < 0 ? "-" : "+")
            + Self.clock(abs(offset)) + (offset % 60 == 0 ? "" : ":\(Digits.text(abs(offset) % 60, width: 2))")
    }

    private static func clock(_ seconds: Int64) -> String {
        Digits.text(seconds / 3600, width: 2) + ":" + Digits.text(seconds / 60 % 60, width: 2)
    }
}
