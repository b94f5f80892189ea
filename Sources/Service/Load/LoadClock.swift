import Dispatch
import Domain
import Workers

/// The clocks of the load side.
enum LoadClock {
    /// Monotonic, for measuring.
    static var nanoseconds: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Since 1970, for reports.
    static var milliseconds: Int64 { SystemClock().now.milliseconds }
}
