import Dispatch
import Domain
import Workers

/// The clocks of the load side.
package enum LoadClock {
    /// Monotonic, for measuring.
    package static var nanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Since 1970, for reports.
    package static var milliseconds: Int64 { SystemClock().now.milliseconds }
}
