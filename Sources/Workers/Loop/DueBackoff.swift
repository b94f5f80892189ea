import Domain

/// The pause before a worker retries failed due work.
///
/// Each failure doubles the pause, from 1 s to at most 60 s. After a success, the pause is 1 s again.
struct DueBackoff {
    static let firstSeconds: Int64 = 1
    static let lastSeconds: Int64 = 60

    /// The time from which due work may be tried again.
    private(set) var end = Instant(milliseconds: 0)
    private var nextSeconds = firstSeconds

    /// Returns whether due work may be tried again.
    ///
    /// If the pause seems to last more than 60 s, the clock was set back. Then due work may also be tried again.
    func isOver(at now: Instant) -> Bool { now >= end || end > now.adding(seconds: Self.lastSeconds) }

    /// Begins the next pause; returns its length in seconds.
    mutating func begin(at now: Instant) -> Int64 {
        defer { nextSeconds = min(nextSeconds * 2, Self.lastSeconds) }
        end = now.adding(seconds: nextSeconds)
        return nextSeconds
    }
}
