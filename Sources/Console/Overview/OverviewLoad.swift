import Administration
import Domain
import JSON
import Storage
import Synchronization

/// The overview's load: the reports per second, and the counts of the last day.
final class OverviewLoad: Sendable {
    private struct Kept: Sendable {
        var rate = ReportRate()
        var day = JSONObject()
        var readAt: ContinuousClock.Instant?
    }

    private let kept = Mutex(Kept())
    /// The age at which the counts of the last day are read again.
    private static let ageMax: Duration = .seconds(5)

    /// Notes this process's number of stored reports, and returns its growth per second.
    func perSecond(_ stored: Int64) -> Double { kept.withLock { $0.rate.note(stored, at: .now) } }

    /// Returns the counts of the last day, in the form of the schema's `Load`.
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

/// The rate at which a count grows, computed from readings of the last few seconds.
struct ReportRate: Sendable {
    private var looks: [(at: ContinuousClock.Instant, count: Int64)] = []
    private var rate = 0.0

    /// The maximum age of readings, except the newest, which is always kept.
    static let window: Duration = .seconds(10)
    /// The shortest time over which a rate is computed.
    static let timeMin: Duration = .milliseconds(900)

    /// Records the count, and returns its growth per second with one decimal place.
    ///
    /// The growth is 0 until the readings span at least `timeMin`.
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
