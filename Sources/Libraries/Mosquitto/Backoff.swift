/// The random delay before the next attempt to connect.
///
/// Each delay lies between half of the current step and the whole step. The step is a duration that doubles with each
/// attempt, up to a limit. Because the delays are random, services that have lost the same broker don't all reconnect
/// at the same moment.
package struct Backoff: Sendable {
    private static let first: Duration = .milliseconds(100)
    private let limit: Duration
    private var step = Self.first

    /// Makes delays that begin with a step of 100 ms, which doubles up to a limit.
    package init(limit: Duration = .seconds(10)) { self.limit = limit }

    /// Returns the next delay, which is between half of the current step and the whole step.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let share = Double.random(in: 0.5...1, using: &generator)
        defer { step = min(step * 2, limit) }
        return step * share
    }

    /// Returns the next delay, computed with the system's random number generator.
    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// Resets the delay to the first step, after a successful connection.
    package mutating func reset() { step = Self.first }
}
