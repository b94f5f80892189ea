import CMosquitto
import Glibc

/// The process-wide part of libmosquitto.
enum Library {
    /// The result of initialising the library on first use.
    ///
    /// `mosquitto_lib_init` is not thread-safe, but the initialisation of a `static let` is.
    static let result: Int32 = {
        // The library calls `write` instead of `send`. A write to a connection that the broker has closed therefore
        // causes a SIGPIPE. This signal would kill the process if it weren't ignored.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()
}

extension ContinuousClock.Instant {
    /// Returns the number of milliseconds since `start`, rounded up and never negative, for a C call.
    func milliseconds(since start: Self) -> Int32 {
        let (seconds, attoseconds) = start.duration(to: self).components
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int32(clamping: max(0, seconds * 1000 + quotient + (rest > 0 ? 1 : 0)))
    }
}
