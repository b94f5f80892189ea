import Domain
import Workers

/// The clocks of the simulated clients and of the measurements.
package enum LoadClock {
    private static let start = ContinuousClock.now

    /// The nanoseconds that have passed on a monotonic clock since this property was first used.
    package static var nanoseconds: Int64 { Int64((ContinuousClock.now - start) / .nanoseconds(1)) }

    /// The milliseconds since 1970, for the timestamps of reports.
    package static var milliseconds: Int64 { SystemClock().now.milliseconds }
}

/// A stopwatch that measures the time since it was created.
package struct Stopwatch: Sendable {
    private let start = LoadClock.nanoseconds

    /// Starts the measurement.
    package init() {}

    /// The seconds since the stopwatch was started.
    package var seconds: Double { Double(LoadClock.nanoseconds - start) / 1e9 }
}
