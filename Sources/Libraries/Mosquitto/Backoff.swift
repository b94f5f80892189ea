/// The delay before the next attempt to connect: it doubles, with jitter, up to a limit.
///
/// Each delay is drawn from the upper half of its step, so that services that lost the same broker don't all reconnect
/// at the same moment.
package struct Backoff: Sendable {
    private static let first: Duration = .milliseconds(100)
    private let limit: Duration
    private var step = Self.first

    /// Begins with a wait of 100 ms, and doubles it up to a limit.
    package init(limit: Duration = .seconds(10)) { self.limit = limit }

    /// Returns the next delay: between half of the step and the whole of it.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let share = Double.random(in: 0.5...1, using: &generator)
        defer { step = min(step * 2, limit) }
        return step * share
    }

    /// Returns the next delay, with the system's randomness.
    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// Starts over from the first delay, after a connection that held.
    package mutating func reset() { step = Self.first }
}
