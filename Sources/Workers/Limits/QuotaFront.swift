import Domain
import Metrics
import Synchronization

/// A cache of used-up quotas, with the times at which these quotas open again.
///
/// In a flood, each refused request costs a lookup in memory and no write. The cache never refuses a request that the
/// store would accept. A full cache forgets all its entries. This is harmless, because the store still contains all
/// counts.
package final class QuotaFront: Sendable {
    /// The maximum number of entries, which take about 150 bytes each: 3 MB.
    private static let entriesMax = 20_000
    /// The maximum number of remembered transactions, which is more than can run at the same time.
    private static let transactionsMax = 256

    private struct State {
        var until: [String: Instant] = [:]
        /// The subjects counted by recent transactions, which may still be rolled back.
        var counted: [Instant: Set<String>] = [:]
        var notes: [String: (count: Int, end: Instant)] = [:]
    }

    private let state = Mutex(State())
    private let limited = Dictionary(counting: "lamplighter_limited_total", by: "limit", Quota.Kind.allCases)
    private let devicesErased = Counter(label: "lamplighter_devices_erased_total")

    /// Creates an empty cache.
    package init() {}

    /// Returns the seconds until a quota opens, or nil if it may be open.
    func wait(_ quota: Quota, at now: Instant) -> Int64? {
        state.withLock { state in
            guard let until = state.until[quota.subject] else { return nil }
            // A quota opens after at most `quota.seconds`. If it seems to open later, the clock has been set back.
            guard until > now, until <= now.adding(seconds: quota.seconds) else {
                state.until[quota.subject] = nil
                return nil
            }
            return now.seconds(until: until)
        }
    }

    /// Notes a transaction's count, so that `refuse` ignores the quota for this transaction.
    func noteCounted(_ quota: Quota, at now: Instant) {
        state.withLock { state in
            if state.counted.count >= Self.transactionsMax { state.counted = [:] }
            state.counted[now, default: []].insert(quota.subject)
        }
    }

    /// Marks a quota as used up, unless the current transaction has counted towards the quota.
    ///
    /// If the current transaction is rolled back, its counts are undone, and the transaction runs again. If the quota
    /// were marked, the second run would be refused.
    func refuse(_ quota: Quota, seconds: Int64, at now: Instant) {
        let until = now.adding(seconds: seconds)
        state.withLock { state in
            guard state.counted[now]?.contains(quota.subject) != true else { return }
            if state.until.count >= Self.entriesMax { state.until = [:] }
            state.until[quota.subject] = until
        }
    }

    /// Counts a device that was erased because it was never bound.
    func erased() { devicesErased.increment() }

    /// Counts a refusal in the metrics.
    func count(_ kind: Quota.Kind) { limited[kind]?.increment() }

    /// Counts a sender's failure, and returns whether the sender had at most `max` failures in 15 minutes.
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
