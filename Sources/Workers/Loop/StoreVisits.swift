import Domain

/// When a worker turns to the store without a message that asks for it, and how long it waits until then.
///
/// It looks for what others left there and for what is due: twice a second, when a neighbour calls, and
/// when a wait ended with nothing, since then something rang. A packet that leaves nothing to do, such as
/// a confirmation, is no reason.
struct StoreVisits {
    private let limits: Limits
    private var next = Instant(milliseconds: 0)
    private var rest = DueRest()
    /// Whether the last wait was for the next of a crowd's messages.
    private var isPausing = false
    /// Since when rows of the outbox wait to be struck out; nil when none does.
    private var settledSince: ContinuousClock.Instant?

    private static let intervalMilliseconds: Int64 = 500

    init(_ limits: Limits) { self.limits = limits }

    // MARK: Waiting

    /// How long to wait for messages at most: until `due`, the next time that something is; not longer
    /// than `pause`, after which a crowd's next message may go out; and not long with rows to strike out.
    mutating func wait(
        until due: Instant?,
        pause: Duration?,
        hasSettled: Bool,
        at now: Instant
    ) -> Duration {
        let most = hasSettled ? min(limits.patience, limits.settleLinger) : limits.patience
        let left = due.map { max($0, rest.end).milliseconds - now.milliseconds }
        let patience = left.map { min(most, .milliseconds(max(0, $0))) } ?? most
        isPausing = pause.map { $0 < patience } ?? false
        return min(patience, pause ?? patience)
    }

    /// Goes on without waiting: something of the store's is to be read.
    mutating func goOn() -> Duration {
        isPausing = false
        return .zero
    }

    // MARK: Looking

    /// Whether to look for what others left and for what is due: a neighbour has called, the wait ended
    /// with no packet at all (`isIdle`), or it is time.
    mutating func mustLook(isCalled: Bool, isIdle: Bool, at now: Instant) -> Bool {
        guard isCalled || now >= next || (isIdle && !isPausing) else { return false }
        next = Instant(milliseconds: now.milliseconds + Self.intervalMilliseconds)
        return true
    }

    /// Whether outbox rows must be struck out now; others go with the next batch.
    mutating func mustSettle(hasSettled: Bool, isCrowded: Bool) -> Bool {
        guard hasSettled else {
            settledSince = nil
            return false
        }
        let since = settledSince ?? .now
        settledSince = since
        return isCrowded || ContinuousClock.now - since >= limits.settleLinger
    }

    /// A transaction has struck out what there was.
    mutating func haveSettled() { settledSince = nil }

    // MARK: Resting

    /// Whether what is due may be tried; after a failure it rests for a while.
    func isRested(at now: Instant) -> Bool { rest.isOver(at: now) }

    /// What is due was done.
    mutating func haveDone() { rest = DueRest() }

    /// What is due failed; gives the seconds that it rests now.
    mutating func restFromDue(at now: Instant) -> Int64 { rest.begin(at: now) }
}
