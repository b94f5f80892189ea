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

/// A measurement of the time since its creation.
package struct Stopwatch: Sendable {
    private let start = LoadClock.nanoseconds

    /// Starts the measurement.
    package init() {}

    /// The seconds since the start.
    package var seconds: Double { Double(LoadClock.nanoseconds - start) / 1e9 }
}
