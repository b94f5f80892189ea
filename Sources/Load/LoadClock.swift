import Domain
import Workers

/// The clocks of the load side.
package enum LoadClock {
    private static let start = ContinuousClock.now

    /// Nanoseconds since the first call, by a clock that is never set, for measuring.
    package static var nanoseconds: Int64 { Int64((ContinuousClock.now - start) / .nanoseconds(1)) }

    /// Milliseconds since 1970, for reports.
    package static var milliseconds: Int64 { SystemClock().now.milliseconds }
}
