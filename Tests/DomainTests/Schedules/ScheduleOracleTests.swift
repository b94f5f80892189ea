import Domain
import Foundation
import TestKit
import Testing

/// Tests that compare schedules' next occurrences with the occurrences that `Tests/Oracles/schedules.py` computes.
///
/// The script shares no code with the service. The script uses the Python modules `zoneinfo` and `dateutil`. For the
/// sun's hour angle it uses NOAA's formula. Each run compares 6,000 random schedules. The schedules are different every
/// day. With `LAMPLIGHTER_SCHEDULES=100000`, a run compares 100,000 schedules.
@Suite("Next occurrences compared with another implementation")
struct ScheduleOracleTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Oracles/schedules.py").path
    static let count =
        ProcessInfo.processInfo.environment["LAMPLIGHTER_SCHEDULES"].flatMap(Int.init) ?? 6000

    /// A line of the script's output.
    struct Line {
        var text: String
        var timing: Timing
        var place: Location?
        var after: Instant
        var due: [Instant]
        /// Whether the script has searched only a limited number of days.
        var isCutShort: Bool

        init?(_ text: String) {
            let words = text.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard words.count == 7, let time = DayTime(words[2]), let after = Int64(words[5]) else {
                return nil
            }
            let numbers = words[1].dropFirst().split(separator: ",").compactMap { Int64($0) }
            let days: Timing.Days
            switch words[1].first {
            case "w": days = .weekly(numbers)
            case "m": days = .monthly(numbers)
            default: days = .once(CalendarDate(day: numbers.first ?? 0))
            }
            self.text = text
            timing = Timing(days: days, time: time, zone: words[0])
            place = Double(words[3]).flatMap { latitude in
                Double(words[4]).map { Location(latitude: latitude, longitude: $0) }
            }
            self.after = Instant(milliseconds: after)
            due = words[6].split(separator: ",").compactMap { Int64($0) }
                .map { Instant(milliseconds: $0) }
            if case .once = days { isCutShort = false } else { isCutShort = true }
        }
    }

    @Test("Random schedules of one day agree to the millisecond", .endsInTime)
    func agree() throws {
        let seed = Int(Date().timeIntervalSince1970 / 86_400)
        let python = try ChildProcess("/usr/bin/python3", [Self.script, "\(seed)", "\(Self.count)"])
        var zones: [String: ZoneRules] = [:]
        var compared = 0
        var differing: [String] = []
        while let text = python.nextLine(), let line = Line(text) {
            let zone = zones[line.timing.zone] ?? Zones.rules(line.timing.zone)
            zones[line.timing.zone] = zone
            compared += 1
            if let difference = Self.difference(line, zone) { differing.append(difference) }
        }

        #expect(compared == Self.count, "the script needs python3-dateutil")
        #expect(differing.isEmpty, "seed \(seed): \(differing.prefix(5).joined(separator: "\n"))")
    }

    private static func difference(_ line: Line, _ zone: ZoneRules) -> String? {
        var after = line.after
        for due in line.due {
            let next = ScheduleRules.next(of: line.timing, after: after, zone: zone, place: line.place)
            guard next == due else { return "\(line.text): \(next?.milliseconds ?? 0)" }
            let isContained = ScheduleRules.contains(due, in: line.timing, zone: zone, place: line.place)
            guard isContained else { return "\(line.text): \(due.milliseconds) isn't contained" }
            after = due
        }
        guard line.due.isEmpty else { return nil }
        let next = ScheduleRules.next(
            of: line.timing,
            after: after,
            zone: zone,
            place: line.place
        )
        guard let next else { return nil }
        let isBeyond = line.isCutShort && next > after.adding(seconds: 6 * 86_400)
        return isBeyond ? nil : "\(line.text): \(next.milliseconds), none was expected"
    }
}
