/// The doubling pauses of senders whose connections were closed for sending too fast.
///
/// A sender is forgotten if its connection isn't closed again within an hour after its pause. At most `limit` senders
/// are remembered. To make room, senders whose pause is over are forgotten. If there are none, the sender whose pause
/// ends soonest is forgotten. Times are milliseconds on a clock that is never set back.
package struct Penalties: Sendable {
    private let pause: Int64
    private let limit: Int
    private var entries: [String: Entry] = [:]

    private struct Entry {
        var pause: Int64
        var until: Int64
    }

    /// The time for which a sender is remembered after its pause, in milliseconds.
    ///
    /// A doubled pause is at most this long too, unless the first pause is already longer.
    package static let memory: Int64 = 3_600_000

    /// Makes penalties that remember no sender yet.
    ///
    /// `pause` is the first pause in milliseconds, or 0 to refuse no sender.
    package init(pause: Int64, limit: Int = 10_000) {
        (self.pause, self.limit) = (pause, limit)
    }

    /// The number of remembered senders.
    package var count: Int { entries.count }

    /// Refuses a sender from now on, until the sender's pause ends.
    package mutating func impose(on key: String, at now: Int64) {
        guard pause > 0, limit > 0 else { return }
        if entries[key] == nil, entries.count >= limit { makeRoom(at: now) }
        let before = entries[key].flatMap { now &- $0.until < Self.memory ? $0.pause : nil }
        let next = before.map { min(max(pause, Self.memory), $0 &* 2) } ?? pause
        entries[key] = Entry(pause: next, until: now &+ next)
    }

    /// Returns whether a sender is refused.
    package func refuses(_ key: String, at now: Int64) -> Bool {
        guard !entries.isEmpty, let entry = entries[key] else { return false }
        return now < entry.until
    }

    private mutating func makeRoom(at now: Int64) {
        entries = entries.filter { now &- $0.value.until < Self.memory }
        if entries.count >= limit { entries = entries.filter { now < $0.value.until } }
        guard entries.count >= limit else { return }
        let soonest = entries.min { $0.value.until < $1.value.until }
        if let soonest { entries[soonest.key] = nil }
    }
}
