import CMosquitto
import Glibc

/// The process-wide part of libmosquitto.
enum Library {
    /// The result of initialising the library on first use: `mosquitto_lib_init` is not thread safe, a `static let` is.
    static let result: Int32 = {
        // The library writes with `write`, not `send`: otherwise a broker that closes would kill the process.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()
}

extension ContinuousClock.Instant {
    /// Returns the milliseconds since `start` for a C call: rounded up, never negative.
    func milliseconds(since start: Self) -> Int32 {
        let (seconds, attoseconds) = start.duration(to: self).components
        let (quotient, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return Int32(clamping: max(0, seconds * 1000 + quotient + (rest > 0 ? 1 : 0)))
    }
}
