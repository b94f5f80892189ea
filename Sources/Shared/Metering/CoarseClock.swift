package import Glibc

/// The clock for the gate's limits: never set back, precise to a few milliseconds, and fast to read.
package enum CoarseClock {
    /// Returns the milliseconds since an unspecified moment, on the coarse clock or on the given clock.
    package static func milliseconds(_ clock: clockid_t = CLOCK_MONOTONIC_COARSE) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }
}
