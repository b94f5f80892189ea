import Synchronization

/// A limit on the bytes that are sent to each terminal per second.
///
/// Each byte sent advances the terminal's virtual time. The terminal's requests wait while that time exceeds the clock
/// by over two seconds. The workers share one budget. The parameter `party` is the hash that identifies a terminal
/// (`Parties`).
package final class AnswerBudget: Sendable {
    /// The maximum number of terminals that are remembered, which take about 5 MB.
    ///
    /// If this many terminals have a virtual time in the future, all terminals are forgotten.
    private static let partiesMax = 100_000
    /// How far a terminal's virtual time may be ahead of the clock before the terminal's requests must wait.
    ///
    /// A burst can thus contain about as many bytes as the permitted rate allows in this time.
    private static let burst: Duration = .seconds(2)
    /// The size of the largest payload in bytes, which is charged for a read until its answer is known.
    private static let reserve = 65_536

    private struct State {
        var paidAt: [UInt64: ContinuousClock.Instant] = [:]
        /// The latest virtual time of all terminals.
        var latest: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let bytesPerSecond: Int

    /// Creates a budget with a rate, where 0 means no limit.
    package init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }

    /// Charges a party for bytes, or refunds them if the number is negative.
    func charge(_ bytes: Int, to party: UInt64, at now: ContinuousClock.Instant) {
        guard bytesPerSecond > 0 else { return }
        let time = Duration.nanoseconds(Int64(bytes) * 1_000_000_000 / Int64(bytesPerSecond))
        state.withLock { state in
            let paidAt = max(state.paidAt[party] ?? now, now) + time
            guard paidAt > now else { return state.paidAt[party] = nil }
            if state.paidAt.count >= Self.partiesMax { state.paidAt = state.paidAt.filter { $0.value > now } }
            if state.paidAt.count >= Self.partiesMax { state.paidAt = [:] }
            state.paidAt[party] = paidAt
            state.latest = max(state.latest ?? paidAt, paidAt)
        }
    }

    /// Charges a party for a request whose answer may be large, before the answer is known.
    func reserve(for party: UInt64, at now: ContinuousClock.Instant) { charge(Self.reserve, to: party, at: now) }

    /// Refunds the reservation of a request that was answered.
    func settle(_ party: UInt64, at now: ContinuousClock.Instant) { charge(-Self.reserve, to: party, at: now) }

    /// Returns how long a party's next request must wait, or nil if it may begin now.
    func wait(of party: UInt64, at now: ContinuousClock.Instant) -> Duration? {
        let paidAt = state.withLock { $0.paidAt[party] }
        guard let paidAt, paidAt > now + Self.burst else { return nil }
        return paidAt - now - Self.burst
    }

    /// Returns whether any party may have to wait.
    func hasDebtors(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in state.latest.map { $0 > now + Self.burst } ?? false }
    }
}
