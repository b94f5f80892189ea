package import JSON

/// The form of a schedule's id.
package enum ScheduleKind: IdentifierKind {
    package static let name = "scheduleId"
    package static func accepts(_ text: String.UTF8View) -> Bool { PlainForm.accepts(text) }
}

/// A schedule's id, made by the service; it never changes.
package typealias ScheduleID = Identifier<ScheduleKind>

/// A command that is sent to a device at certain times.
package struct Schedule: Sendable, Equatable {
    /// The treatment of a missed occurrence.
    package enum Misfire: String, Sendable, CaseIterable {
        case skip, run
    }

    /// Its id.
    package var id: ScheduleID
    /// The device.
    package var did: DeviceID
    /// The user whose rights it acts with.
    package var creator: UserID
    /// The app that the creator belongs to.
    package var app: AppID
    /// The times.
    package var timing: Timing
    /// The values to set.
    package var attrs: JSONObject
    /// The creator's note.
    package var remark: String
    /// Whether it acts at all.
    package var isEnabled: Bool
    /// The treatment of a missed occurrence.
    package var misfire: Misfire
    /// When it was made.
    package var createdAt: Instant
    /// When it began to act at these times: its making, the last change of them, or its being enabled.
    package var activeSince: Instant
    /// When anything about it was changed last.
    package var updatedAt: Instant
    /// Its next occurrence; nil while it is disabled, and when there is none.
    package var nextAt: Instant?

    /// Makes a schedule.
    package init(
        id: ScheduleID,
        did: DeviceID,
        creator: UserID,
        app: AppID,
        timing: Timing,
        attrs: JSONObject,
        remark: String,
        isEnabled: Bool,
        misfire: Misfire,
        createdAt: Instant,
        nextAt: Instant? = nil
    ) {
        self.id = id
        self.did = did
        self.creator = creator
        self.app = app
        self.timing = timing
        self.attrs = attrs
        self.remark = remark
        self.isEnabled = isEnabled
        self.misfire = misfire
        self.createdAt = createdAt
        self.nextAt = nextAt
        activeSince = createdAt
        updatedAt = createdAt
    }

    /// Schedules that a device may have.
    package static let perDeviceMax = 100
}

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

/// A time of the day: by the clock, or by the sun.
package enum DayTime: Sendable, Equatable {
    /// Minutes after midnight.
    case clock(Int64)
    /// Minutes after sunrise or sunset; negative for before.
    case sun(SunRules.Event, Int64)

    /// Whether it depends on the place.
    package var needsPlace: Bool {
        if case .sun = self { true } else { false }
    }

    /// Reads `HH:mm`, `sunrise±HH:mm` or `sunset±HH:mm`; nil for any other text.
    package init?(_ text: String) {
        for event in SunRules.Event.allCases
        where text.utf8.starts(with: event.rawValue.utf8) {
            let rest = Array(text.utf8.dropFirst(event.rawValue.utf8.count))
            guard let minutes = Self.minutes(rest.dropFirst()), let sign = rest.first else {
                return nil
            }
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
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            let hours = Digits.number(bytes[0..<2]), let minutes = Digits.number(bytes[3..<5]),
            hours < 24, minutes < 60
        else { return nil }
        return hours * 60 + minutes
    }
}

extension DayTime: CustomStringConvertible {
    /// The time in the form in which it is read.
    package var description: String {
        switch self {
        case .clock(let minutes): Self.text(minutes)
        case .sun(let event, let minutes):
            event.rawValue + (minutes < 0 ? "-" : "+") + Self.text(abs(minutes))
        }
    }

    private static func text(_ minutes: Int64) -> String {
        Digits.text(minutes / 60, width: 2) + ":" + Digits.text(minutes % 60, width: 2)
    }
}
