import Glibc
import Synchronization

/// The number of times that this process has been interrupted by Ctrl-C or SIGTERM.
enum Interrupt {
    private static let count = Atomic<Int>(0)

    /// Counts Ctrl-C and SIGTERM, which from now on don't end the process.
    static func listen() {
        // The counter is initialized here, since a signal handler must not allocate memory.
        count.store(0, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interrupt.note() }
        }
    }

    /// The number of interrupts since `listen()`.
    static var times: Int { count.load(ordering: .relaxed) }

    private static func note() { count.wrappingAdd(1, ordering: .relaxed) }
}
