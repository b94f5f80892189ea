/// Who was closed for sending too fast, and is refused for a while: each time twice as long as before.
///
/// Forgets whoever gave no cause for an hour after that. Holds at most `limit` of them; when more come, those go
/// first whose time is over, then the one whose time is over soonest. Times are milliseconds on a clock that is
/// never set back.
package struct Penalties: Sendable {
    private let pause: Int64
    private let pauseMax: Int64
    private let limit: Int
    private var entries: [String: Entry] = [:]

    private struct Entry {
        var pause: Int64
        var until: Int64
    }

    /// How long a cause is remembered after its pause, and how long the longest pause is: an hour.
    package static let memory: Int64 = 3_600_000

    /// Begins with nobody; `pause` is the first one's length in milliseconds, and 0 refuses nobody.
    package init(pause: Int64, pauseMax: Int64 = Penalties.memory, limit: Int = 10_000) {
        self.pause = pause
        self.pauseMax = max(pause, pauseMax)
        self.limit = limit
    }

    /// How many are remembered.
    package var count: Int { entries.count }

    /// Refuses someone from now on.
    package mutating func impose(on key: String, at now: Int64) {
        guard pause > 0, limit > 0 else { return }
        if entries[key] == nil, entries.count >= limit { makeRoom(at: now) }
        let before = entries[key].flatMap { now &- $0.until < Self.memory ? $0.pause : nil }
        let next = before.map { min(pauseMax, $0 &* 2) } ?? pause
        entries[key] = Entry(pause: next, until: now &+ next)
    }

    /// Whether someone is refused.
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
