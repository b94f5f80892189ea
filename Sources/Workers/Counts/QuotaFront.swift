import Domain
import Metrics
import Synchronization

/// What stands in front of the counts in the store: which of them are used up, and until when.
///
/// A flood of requests that are refused costs a look in memory each and no write. A hint only: what is
/// forgotten here is found in the store again, and nothing is refused here that the store let through.
/// Bounded: when it is full it forgets all.
package final class QuotaFront: Sendable {
    /// Of some 150 bytes each: 3 MB.
    private static let entriesMax = 20_000

    private struct State {
        var until: [String: Instant] = [:]
        /// What the transaction of a moment has counted itself: it may be rolled back yet.
        var counted: (at: Instant, subjects: Set<String>) = (Instant(milliseconds: 0), [])
        var notes: [String: (count: Int, end: Instant)] = [:]
    }

    private let state = Mutex(State())
    private let limited: [Quota.Kind: Counter]
    private let devicesErased = Counter(label: "lamplighter_devices_erased_total")

    /// Knows of nothing yet.
    package init() {
        limited = Dictionary(
            uniqueKeysWithValues: Quota.Kind.allCases.map { kind in
                let labels = [("limit", kind.rawValue)]
                return (kind, Counter(label: "lamplighter_limited_total", dimensions: labels))
            }
        )
    }

    /// After how many seconds a quota opens again; nil where it may be open.
    func wait(_ quota: Quota, at now: Instant) -> Int64? {
        state.withLock { state in
            guard let until = state.until[quota.subject] else { return nil }
            // Farther ahead than the window is long: the clock was set back.
            guard until > now, until <= now.adding(seconds: quota.seconds) else {
                state.until[quota.subject] = nil
                return nil
            }
            return now.seconds(until: until)
        }
    }

    /// Notes that a transaction has counted at a quota, as not to trust what it finds there.
    func noteCounted(_ quota: Quota, at now: Instant) {
        state.withLock { state in
            if state.counted.at != now { state.counted = (now, []) }
            state.counted.subjects.insert(quota.subject)
        }
    }

    /// Notes that a quota is used up, by counts that were committed before: were it by the transaction's
    /// own, a batch that fails and is tried again would be refused what nobody has had.
    func refuse(_ quota: Quota, seconds: Int64, at now: Instant) {
        let until = now.adding(seconds: seconds)
        state.withLock { state in
            let (at, subjects) = state.counted
            guard at != now || !subjects.contains(quota.subject) else { return }
            if state.until.count >= Self.entriesMax { state.until = [:] }
            state.until[quota.subject] = until
        }
    }

    /// Counts a device that was erased since nobody ever bound it.
    func erased() { devicesErased.increment() }

    /// Counts a refusal in the metrics.
    func count(_ kind: Quota.Kind) { limited[kind]?.increment() }

    /// Whether one more failure of a sender is worth a line, of so many in 15 minutes.
    func mayNote(_ sender: String, max: Int, at now: Instant) -> Bool {
        state.withLock { state in
            if state.notes.count >= Self.entriesMax { state.notes = [:] }
            let end = now.adding(seconds: Quota.quarter)
            var note = state.notes[sender] ?? (0, end)
            if note.end <= now || note.end > end { note = (0, end) }
            note.count += 1
            state.notes[sender] = note
            return note.count <= max
        }
    }
}
