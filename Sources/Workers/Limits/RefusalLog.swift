import Credentials
package import Domain
import Metrics
package import Storage
import Wire

/// A log of refusals by the gate and by listeners, stored for `lamplighter refusals`.
///
/// The gate reports at most 100 refusals per second. Equal refusals are counted in memory. A small transaction writes
/// all counts once a second, or every five seconds in a flood. A log belongs to one thread.
package struct RefusalLog {
    private let limits: Limits
    private let isOurs: (ClientRefusal) -> Bool
    private var waiting: [String: ClientRefusal] = [:]
    private var nextWrite = Instant(milliseconds: 0)
    private let counters: [String: Counter]
    private let suppressed: Counter
    private let unknown: Counter

    /// The maximum number of refusals that wait to be written; further refusals are only counted in the metrics.
    private static let waitingMax = 1000
    /// If a write contains more refusals than this number, the pause after the write is longer.
    private static let manyMin = 50
    private static let (pauseMilliseconds, longPauseMilliseconds) = (Int64(1000), Int64(5000))

    /// Makes an empty log that doesn't count the service's own probes (`isOurs`).
    package init(_ limits: Limits, isOurs: @escaping (ClientRefusal) -> Bool = { _ in false }) {
        self.limits = limits
        self.isOurs = isOurs
        func counter(_ reason: String) -> Counter {
            Counter(label: "lamplighter_refusals_total", dimensions: [("reason", reason)])
        }
        let reasons = RefusalReason.allCases.filter { !$0.isNeverPublished }.map(\.rawValue)
        counters = Dictionary(uniqueKeysWithValues: reasons.map { ($0, counter($0)) })
        suppressed = counter("suppressed")
        unknown = counter("other")
    }

    /// Counts and returns a refusal, unless it is unreadable or comes from the service's own probes.
    @discardableResult
    package mutating func take(_ payload: ArraySlice<UInt8>) -> ClientRefusal? {
        guard let (refusal, missed) = RefusalCodec.decode(payload) else { return nil }
        suppressed.increment(by: missed)
        guard !isOurs(refusal) else { return nil }
        (counters[refusal.reason] ?? unknown).increment()
        let likeness = refusal.likeness
        if var known = waiting[likeness] {
            known.times += 1
            known.lastAt = max(known.lastAt, refusal.lastAt)
            waiting[likeness] = known
        } else if waiting.count < Self.waitingMax {
            waiting[likeness] = refusal
        }
        return refusal
    }

    /// Returns whether refusals are waiting and the pause after the last write is over.
    ///
    /// If the pause seems to last longer than the longest pause, the clock has been set back, and a write is due.
    package func isDue(at now: Instant) -> Bool {
        !waiting.isEmpty && (now >= nextWrite || nextWrite.milliseconds - now.milliseconds > Self.longPauseMilliseconds)
    }

    /// Writes the waiting refusals, or keeps them waiting after an error of the store.
    package mutating func write(to store: Store, at now: Instant) throws {
        let many = waiting.count > Self.manyMin
        nextWrite = now.adding(milliseconds: many ? Self.longPauseMilliseconds : Self.pauseMilliseconds)
        let refusals = waiting.values.sorted { ($0.lastAt, $0.clientID) < ($1.lastAt, $1.clientID) }
        let oldest = now.adding(seconds: -limits.refusalSeconds)
        try store.batch(at: now) { tx in
            try tx.refusals.add(refusals, keeping: limits.refusalsMax, since: oldest, at: now)
        }
        waiting.removeAll(keepingCapacity: true)
    }
}
