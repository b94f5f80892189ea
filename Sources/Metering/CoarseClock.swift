import Glibc

/// The clock of all limits: never set back, precise to a few milliseconds, and read without a system call.
package enum CoarseClock {
    /// Returns the milliseconds since an unspecified moment.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
