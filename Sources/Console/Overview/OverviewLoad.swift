import Administration
import Domain
import JSON
import Storage
import Synchronization

/// The load that the overview shows: the current reports per second, and the reports and refusals of the last day.
final class OverviewLoad: Sendable {
    private struct Kept: Sendable {
        var rate = ReportRate()
        var day = JSONObject()
        var readAt: ContinuousClock.Instant?
    }

    private let kept = Mutex(Kept())
    /// The greatest age of the day's counts, which have steps of ten minutes.
    private static let ageMax: Duration = .seconds(5)

    /// Takes the number of reports that this process has stored; returns how many it stores a second.
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
                [("from", Shown.moment(LoadTable.begin(until: now))), ("stepSeconds", .integer(LoadTable.stepSeconds))]
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

/// The rate at which a count grows, over the last seconds in which it was read.
struct ReportRate: Sendable {
    private var looks: [(at: ContinuousClock.Instant, count: Int64)] = []
    private var rate = 0.0

    /// The age beyond which readings are dropped, except for the newest of them.
    static let window: Duration = .seconds(10)
    /// The shortest time over which a rate is computed.
    static let timeMin: Duration = .milliseconds(900)

    /// Notes the count at a moment, and returns its growth per second to one decimal; 0 at first.
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
