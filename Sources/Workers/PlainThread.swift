import Glibc

/// A plain thread of the system, for calls that block: on the pool of Swift's concurrency they would starve tasks.
package enum PlainThread {
    /// The closure that the thread runs, passed through C as one pointer.
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Bytes of a thread's stack.
    private static let stackBytes = 4 << 20

    /// Gives the calling thread alone a low priority (Linux): its work must not delay reports and commands.
    ///
    /// By the kernel's weights a niceness of 10 leaves it a tenth of a core beside one busy thread
    /// (`sched_prio_to_weight`: 110 beside 1,024); 15 leaves it a thirtieth.
    @Sendable
    static func yieldToOthers() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Lets the calling thread, which must be a plain one, sleep.
    package static func pause(_ time: Duration) { usleep(UInt32(time / .microseconds(1))) }

    /// Runs a closure on a thread of its own, and returns when both have ended.
    package static func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            detach {
                body()
                continuation.resume()
            }
        }
    }

    /// Runs a closure on a thread of its own, which ends with it.
    ///
    /// Ends the process where the system gives no thread.
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
        precondition(code == 0, "the system gives no thread")
    }
}
