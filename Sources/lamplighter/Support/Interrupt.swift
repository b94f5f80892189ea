import Glibc
import Synchronization

/// Counts the interrupts of this process, by Ctrl-C or SIGTERM.
enum Interrupt {
    private static let count = Atomic<Int>(0)

    /// Counts those signals from now on; they no longer end the process by themselves.
    static func listen() {
        // Made here, since a signal's handler may make nothing.
        count.store(0, ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in Interrupt.note() }
        }
    }

    /// The number of interrupts since `listen()`.
    static var times: Int { count.load(ordering: .relaxed) }

    private static func note() { count.wrappingAdd(1, ordering: .relaxed) }
}
