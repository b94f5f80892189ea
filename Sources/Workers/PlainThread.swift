import Glibc

/// Plain system threads for blocking calls, because such calls would starve the tasks on Swift's cooperative pool.
package enum PlainThread {
    /// The closure that a thread runs, passed through C as one pointer.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// The size of a thread's stack, in bytes.
    private static let stackBytes = 4 << 20

    /// Lowers the calling thread's priority, so that reports and commands aren't delayed.
    ///
    /// The kernel's weights (`sched_prio_to_weight`) are 110 for niceness 10 and 1,024 for niceness 0. Beside a busy
    /// thread, a thread with niceness 10 therefore gets a tenth of a core.
    @Sendable
    static func yieldToOthers() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Suspends the calling thread, which must be a plain thread.
    package static func pause(_ time: Duration) { usleep(UInt32(time / .microseconds(1))) }

    /// Runs a closure on a new thread, and returns when the closure has ended.
    package static func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            detach {
                body()
                continuation.resume()
            }
        }
    }

    /// Runs a closure on a new thread.
    ///
    /// If the thread can't be created, the process ends.
    package static func detach(_ body: @escaping @Sendable () -> Void) {
        let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { space in
            guard let attributes = space.baseAddress else { return EAGAIN }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            pthread_attr_setstacksize(attributes, stackBytes)
            var thread = pthread_t()
            return pthread_create(
                &thread,
                attributes,
                { pointer in
                    guard let pointer else { return nil }
                    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                    return nil
                },
                Unmanaged.passRetained(Work(body)).toOpaque()
            )
        }
        precondition(code == 0, "the system can't start a thread")
    }
}
