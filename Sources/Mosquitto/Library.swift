import CMosquitto
import Glibc

/// The process-wide part of libmosquitto.
enum Library {
    /// Initialises the library on first use: `mosquitto_lib_init` is not thread safe, a `static let` is.
    static let result: Int32 = {
        // The library writes with `write`, not `send`: a broker that closes would kill the process.
        signal(SIGPIPE, SIG_IGN)
        return mosquitto_lib_init()
    }()
}

/// A point on the monotonic clock, in nanoseconds.
struct Monotonic: Comparable {
    var nanoseconds: Int64

    static var now: Monotonic {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Monotonic(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: Monotonic, right: Monotonic) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    func adding(_ duration: Duration) -> Monotonic {
        Monotonic(nanoseconds: nanoseconds + duration.nanoseconds)
    }

    /// Milliseconds from `start` until here, rounded up, never negative.
    func milliseconds(since start: Monotonic) -> Int32 {
        Int32(clamping: max(0, (nanoseconds - start.nanoseconds + 999_999) / 1_000_000))
    }
}

extension Duration {
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
