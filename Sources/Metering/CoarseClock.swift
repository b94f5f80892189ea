import Glibc

/// The clock that limits are counted by: never set back, right to some milliseconds, and read without a call into
/// the system.
package enum CoarseClock {
    /// Milliseconds since some moment.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
