import Glibc
import Synchronization

/// The count of this process's interrupts, by Ctrl-C or SIGTERM.
enum Interrupt {
    private static let count = Atomic<Int>(0)

    /// Counts the signals from now on; they no longer end the process.
    static func listen() {
        // Initialized here, since a signal handler must not allocate.
        count.store(0, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interrupt.note() }
        }
    }

    /// The number of interrupts since `listen()`.
    static var times: Int { count.load(ordering: .relaxed) }

    private static func note() { count.wrappingAdd(1, ordering: .relaxed) }
}
