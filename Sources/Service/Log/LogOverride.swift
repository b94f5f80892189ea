package import Logging
import Synchronization

/// A level of the log for a time, instead of the one that the settings say.
package enum LogOverride {
    private static let state = Mutex<(level: Logger.Level, until: ContinuousClock.Instant)?>(nil)

    /// Logs from a level on for a time.
    package static func set(_ level: Logger.Level, for time: Duration) {
        state.withLock { $0 = (level, .now + time) }
    }

    /// The level, and for how long it holds; nil where the settings' level does.
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
