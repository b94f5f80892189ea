import Domain
import Synchronization

/// A source of numbers that grow from row to row, across restarts and processes that write in turns.
///
/// If several processes write at once, each has separate numbers: their remainder by 64 is its slot.
final class SequenceSource: Sendable {
    private struct State {
        var last: Int64 = 0
        var slot = NodeSlot.alone
        /// For each transaction under way, the last number that was used before it began.
        var open: [Int64] = []
    }

    private let state = Mutex(State())
    private let isShared: Bool

    /// Starts as a process that writes alone, or with `isShared` as one that hasn't joined the others yet.
    init(isShared: Bool) { self.isShared = isShared }

    /// The slot whose numbers are used.
    var slot: NodeSlot { state.withLock(\.slot) }

    /// Uses numbers of a slot from now on.
    func take(_ slot: NodeSlot) { state.withLock { $0.slot = slot } }

    /// The first number that a transaction under way may have used, or that a later one will use.
    ///
    /// All smaller numbers of this process are committed, or never will be.
    var settled: Int64 {
        state.withLock { state in (state.open.min() ?? state.last) + 1 }
    }

    /// Notes that a transaction uses numbers from now on; returns the value to pass to `end`.
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

    /// Returns the next number: the microseconds of the transaction's moment, or one more than the last number.
    ///
    /// With several processes, it is the least of the slot's numbers that isn't smaller than these.
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
