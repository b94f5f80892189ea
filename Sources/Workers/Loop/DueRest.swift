import Domain

/// How long a worker leaves alone what is due, after it failed on it.
///
/// What fails once most likely fails again, whatever the number of times: the pauses double, and the
/// worker's messages go on meanwhile. Who succeeds begins with a new one.
struct DueRest {
    static let firstSeconds: Int64 = 1
    static let lastSeconds: Int64 = 60

    /// When what is due may be tried again.
    private(set) var end = Instant(milliseconds: 0)
    private var nextSeconds = firstSeconds

    /// Whether it may be tried; so it may where the clock was set back since.
    func isOver(at now: Instant) -> Bool {
        now >= end || end > now.adding(seconds: Self.lastSeconds)
    }

    /// Begins the next pause; gives its length in seconds.
    mutating func begin(at now: Instant) -> Int64 {
        defer { nextSeconds = min(nextSeconds * 2, Self.lastSeconds) }
        end = now.adding(seconds: nextSeconds)
        return nextSeconds
    }
}
