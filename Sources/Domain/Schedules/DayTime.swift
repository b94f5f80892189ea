/// A time of day, given by the clock or relative to sunrise or sunset.
package enum DayTime: Sendable, Equatable {
    /// A number of minutes after midnight.
    case clock(Int64)
    /// A number of minutes after sunrise or sunset, or before that event if the number is negative.
    case sun(SunRules.Event, Int64)

    /// Whether the time depends on a place.
    package var needsPlace: Bool {
        if case .sun = self { true } else { false }
    }

    /// Parses `HH:mm`, `sunrise±HH:mm` or `sunset±HH:mm`; returns nil for any other string.
    package init?(_ text: String) {
        for event in SunRules.Event.allCases
        where text.utf8.starts(with: event.rawValue.utf8) {
            let rest = Array(text.utf8.dropFirst(event.rawValue.utf8.count))
            guard let minutes = Self.minutes(rest.dropFirst()), let sign = rest.first else { return nil }
            switch sign {
            case UInt8(ascii: "+"): self = .sun(event, minutes)
            case UInt8(ascii: "-"): self = .sun(event, -minutes)
            default: return nil
            }
            return
        }
        guard let minutes = Self.minutes(Array(text.utf8)[...]) else { return nil }
        self = .clock(minutes)
    }

    private static func minutes(_ text: ArraySlice<UInt8>) -> Int64? {
        let bytes = Array(text)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hours = Digits.number(bytes[0..<2]),
            let minutes = Digits.number(bytes[3..<5]), hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }
}

extension DayTime: CustomStringConvertible {
    /// The time as `HH:mm`, `sunrise±HH:mm` or `sunset±HH:mm`.
    package var description: String {
        switch self {
        case .clock(let minutes): Self.text(minutes)
        case .sun(let event, let minutes): event.rawValue + (minutes < 0 ? "-" : "+") + Self.text(abs(minutes))
        }
    }

    private static func text(_ minutes: Int64) -> String {
        Digits.text(minutes / 60, width: 2) + ":" + Digits.text(minutes % 60, width: 2)
    }
}
