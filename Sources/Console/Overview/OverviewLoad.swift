import Domain
import JSON
import Storage
import Synchronization

/// The load that the overview shows: reports a second at present, and reports and refusals of the last day.
final class OverviewLoad: Sendable {
    private struct Kept: Sendable {
        var rate = ReportRate()
        var day = JSONObject()
        var readAt: ContinuousClock.Instant?
    }

    private let kept = Mutex(Kept())
    /// How old the counts of the day may be: each step of them is ten minutes long.
    private static let ageMax: Duration = .seconds(5)

    /// Takes how many reports this process has stored; returns how many it stores in a second.
    func perSecond(_ stored: Int64) -> Double {
        kept.withLock { $0.rate.note(stored, at: .now) }
    }

    /// Returns the counts of the last day (`Load`).
    func day(in store: Store, until now: Instant) throws -> JSONObject {
        let known = kept.withLock { kept in
            kept.readAt.map { ContinuousClock.now - $0 < Self.ageMax } == true ? kept.day : nil
        }
        if let known { return known }
        let day = try store.read { tx in
            JSONObject(
                [
                    ("from", Shown.moment(LoadTable.begin(until: now))),
                    ("stepSeconds", .integer(LoadTable.stepSeconds)),
                ]
                    + (try LoadTable.Kind.allCases.map { kind in
                        let counts = try tx.load.counts(of: kind, until: now)
                        return (kind.rawValue, .array(counts.map(JSONValue.integer)))
                    })
            )
        }
        kept.withLock { ($0.day, $0.readAt) = (day, .now) }
        return day
    }
}

/// How fast a count grows, over the last seconds in which it was looked at.
struct ReportRate: Sendable {
    private var looks: [(at: ContinuousClock.Instant, count: Int64)] = []
    private var rate = 0.0

    /// Looks older than this are forgotten, but for the newest of them.
    static let window: Duration = .seconds(10)
    /// The shortest time that tells a rate.
    static let timeMin: Duration = .milliseconds(900)

    /// Notes the count at a moment, and returns by how much it grows in a second, to one decimal; 0 at first.
    mutating func note(_ count: Int64, at now: ContinuousClock.Instant) -> Double {
        while looks.count > 1, now - looks[0].at > Self.window { looks.removeFirst() }
        let first = looks.first ?? (now, count)
        if looks.last.map({ now - $0.at >= Self.timeMin }) ?? true { looks.append((now, count)) }
        let time = now - first.at
        guard time >= Self.timeMin else { return rate }
        rate = (Double(count - first.count) / (time / .seconds(1)) * 10).rounded() / 10
        return rate
    }
}
