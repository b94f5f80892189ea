import Domain
import Synchronization

/// A source of numbers that keep growing, even if a process restarts or another process takes over the writing.
///
/// Processes that write concurrently use different numbers. The remainder of each of these numbers modulo 64 is the
/// slot (`NodeSlot`) of the process that uses the number.
final class SequenceSource: Sendable {
    private struct State {
        var last: Int64 = 0
        var slot = NodeSlot.alone
        /// For each transaction under way, the last number that was used before the transaction began.
        var open: [Int64] = []
    }

    private let state = Mutex(State())
    private let isShared: Bool

    /// Creates a source, where `isShared` means that other processes also write to the database.
    init(isShared: Bool) { self.isShared = isShared }

    /// The slot whose numbers this process uses.
    var slot: NodeSlot { state.withLock(\.slot) }

    /// Makes this process use the numbers of the given slot from now on.
    func take(_ slot: NodeSlot) { state.withLock { $0.slot = slot } }

    /// The smallest number that an unfinished or future transaction of this process may use.
    ///
    /// If this process gave a row a smaller number, the row has been committed, or will never be committed.
    var settled: Int64 {
        state.withLock { state in (state.open.min() ?? state.last) + 1 }
    }

    /// Notes that a transaction begins, and returns the value that must be passed to `end`.
    func begin() -> Int64 {
        state.withLock { state in
            state.open.append(state.last)
            return state.last
        }
    }

    /// Notes that a transaction is over.
    func end(_ beginning: Int64) {
        state.withLock { state in
            guard let place = state.open.firstIndex(of: beginning) else { return }
            state.open.remove(at: place)
        }
    }

    /// Returns the time in microseconds since 1970, or the last number plus one if that is larger.
    ///
    /// If `isShared`, the result is rounded up to a number of this process's slot.
    func next(_ now: Instant) -> Int64 {
        state.withLock { state in
            let least = max(state.last + 1, now.milliseconds * 1000)
            state.last = isShared ? Self.first(of: state.slot, from: least) : least
            return state.last
        }
    }

    /// Makes the next number larger than a number that another process used.
    func goOn(behind number: Int64) {
        state.withLock { $0.last = max($0.last, number) }
    }

    private static func first(of slot: NodeSlot, from least: Int64) -> Int64 {
        let count = Int64(NodeSlot.count)
        let rest = (Int64(slot.number) - least) % count
        return least + (rest < 0 ? rest + count : rest)
    }
}
