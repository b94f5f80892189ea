import Domain
import Foundation

/// A reader of the system's time zone files.
enum Zones {
    /// Returns a zone's rules, and fails the test if the system lacks the zone.
    static func rules(_ name: String) -> ZoneRules {
        let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)")
        return data.flatMap { ZoneRules(file: Array($0)) } ?? .utc
    }
}

/// Returns the UTC time of a text such as `2026-11-21T16:00` or `2026-11-21T16:00:30`.
func utc(_ text: String) -> Instant {
    let parts = text.split(separator: "T")
    let date = CalendarDate(String(parts[0]))
    let clock = parts[1].split(separator: ":").compactMap { Int64($0) }
    let seconds = clock[0] * 3600 + clock[1] * 60 + (clock.count > 2 ? clock[2] : 0)
    return Instant(milliseconds: ((date?.day ?? 0) * 86_400 + seconds) * 1000)
}
