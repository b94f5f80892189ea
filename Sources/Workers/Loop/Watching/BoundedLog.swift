package import Logging
import Synchronization

/// Writes the lines about refused and dead messages, only so many a second: a flood of bad messages must not become a
/// flood of lines.
///
/// Lines beyond are left out; the next one that is written says how many.
package final class BoundedLog: Sendable {
    private struct State {
        var second: ContinuousClock.Instant?
        var lines = 0
        var leftOut = 0
    }

    private let linesPerSecond: Int
    private let state = Mutex(State())

    /// Makes a log of at most so many lines a second.
    package init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Writes a line at `info`, unless too many came before it in the same second.
    package func info(
        _ logger: Logger,
        _ message: Logger.Message,
        at now: ContinuousClock.Instant = .now,
        metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= .info, let leftOut = take(at: now) else { return }
        if leftOut > 0 {
            logger.info(
                "Lines about refused and dead messages were left out",
                metadata: ["lines": .stringConvertible(leftOut)]
            )
        }
        logger.info(message, metadata: metadata())
    }

    /// Takes the room of a line; returns how many were left out before it, or nil if there is no room.
    func take(at now: ContinuousClock.Instant) -> Int? {
        state.withLock { state in
            if state.second.map({ now - $0 >= .seconds(1) }) ?? true {
                (state.second, state.lines) = (now, 0)
            }
            guard state.lines < linesPerSecond else {
                state.leftOut += 1
                return nil
            }
            state.lines += 1
            defer { state.leftOut = 0 }
            return state.leftOut
        }
    }
}
