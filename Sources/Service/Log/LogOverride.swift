package import Logging
import Synchronization

/// A log level that temporarily overrides the configured level.
package enum LogOverride {
    private static let state = Mutex<(level: Logger.Level, until: ContinuousClock.Instant)?>(nil)

    /// Sets the log level for a period.
    package static func set(_ level: Logger.Level, for time: Duration) { state.withLock { $0 = (level, .now + time) } }

    /// The temporary level and its remaining time, or nil if the configured level applies.
    package static var current: (level: Logger.Level, left: Duration)? {
        state.withLock { state in
            guard let (level, until) = state else { return nil }
            let left = until - .now
            guard left > .zero else {
                state = nil
                return nil
            }
            return (level, left)
        }
    }
}
