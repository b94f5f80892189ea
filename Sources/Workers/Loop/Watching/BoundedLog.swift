package import Logging
import Synchronization

/// A log of refused messages and dead letters, which writes only a limited number of lines per second.
///
/// Lines beyond the limit are dropped. When the log writes again, it first writes how many lines were dropped.
package final class BoundedLog: Sendable {
    private struct State {
        var second: ContinuousClock.Instant?
        var lines = 0
        var leftOut = 0
    }

    private let linesPerSecond: Int
    private let state = Mutex(State())

    /// Makes a log of at most `linesPerSecond` lines a second.
    package init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Writes a line at `info`, unless the limit of the current second is reached.
    package func info(
        _ logger: Logger,
        _ message: Logger.Message,
        at now: ContinuousClock.Instant = .now,
        metadata: @autoclosure () -> Logger.Metadata
    ) {
        guard logger.logLevel <= .info, let leftOut = take(at: now) else { return }
        if leftOut > 0 {
            let metadata: Logger.Metadata = ["lines": .stringConvertible(leftOut)]
            logger.info("Lines about refused messages and dead letters were omitted", metadata: metadata)
        }
        logger.info(message, metadata: metadata())
    }

    /// Counts a line, and returns how many lines were dropped before it, or nil if the limit is reached.
    func take(at now: ContinuousClock.Instant) -> Int? {
        state.withLock { state in
            if state.second.map({ now - $0 >= .seconds(1) }) ?? true { (state.second, state.lines) = (now, 0) }
            guard state.lines < linesPerSecond else {
                state.leftOut += 1
                return nil
            }
            state.lines += 1
            return exchange(&state.leftOut, with: 0)
        }
    }
}
