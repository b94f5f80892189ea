import Domain

/// Decides when a worker looks into the store without a message, and how long it waits until then.
///
/// It looks for messages left by other workers and for due work: twice a second, when another worker calls, and when
/// a wait ended without a packet, since then it was woken. A packet without work, such as a confirmation, is not a
/// reason to look.
struct PollState {
    private let limits: Limits
    private var next = Instant(milliseconds: 0)
    private var rest = DueBackoff()
    /// Whether the last wait was for the next group of a fan-out's messages.
    private var isPausing = false
    /// The time since which rows of the outbox wait for deletion; nil if none does.
    private var confirmedSince: ContinuousClock.Instant?

    private static let intervalMilliseconds: Int64 = 500

    init(_ limits: Limits) { self.limits = limits }

    // MARK: Waiting

    /// Returns the longest wait for messages.
    ///
    /// It ends at `due`, the next time of due work, and after `pause`, when a fan-out's next message may be
    /// published; it is short while rows wait for deletion.
    mutating func wait(
        until due: Instant?,
        pause: Duration?,
        hasConfirmedRows: Bool,
        at now: Instant
    ) -> Duration {
        let most = hasConfirmedRows ? min(limits.patience, limits.confirmedLinger) : limits.patience
        let left = due.map { max($0, rest.end).milliseconds - now.milliseconds }
        let patience = left.map { min(most, .milliseconds(max(0, $0))) } ?? most
        isPausing = pause.map { $0 < patience } ?? false
        return min(patience, pause ?? patience)
    }

    /// Continues without waiting, since the store has rows to be read.
    mutating func goOn() -> Duration {
        isPausing = false
        return .zero
    }

    // MARK: Looking

    /// Whether to look for messages left by other workers and for due work: another worker has called, the wait
    /// ended without a packet (`isIdle`), or it is time.
    mutating func mustLook(isCalled: Bool, isIdle: Bool, at now: Instant) -> Bool {
        guard isCalled || now >= next || (isIdle && !isPausing) else { return false }
        next = Instant(milliseconds: now.milliseconds + Self.intervalMilliseconds)
        return true
    }

    /// Whether outbox rows must be deleted now; otherwise they are deleted with the next batch.
    mutating func mustDeleteConfirmed(hasConfirmedRows: Bool, hasManyConfirmed: Bool) -> Bool {
        guard hasConfirmedRows else {
            confirmedSince = nil
            return false
        }
        let since = confirmedSince ?? .now
        confirmedSince = since
        return hasManyConfirmed || ContinuousClock.now - since >= limits.confirmedLinger
    }

    /// Notes that a transaction has deleted all settled rows.
    mutating func haveDeletedConfirmed() { confirmedSince = nil }

    // MARK: Resting

    /// Whether due work may be tried; after a failure it pauses for a while.
    func isRested(at now: Instant) -> Bool { rest.isOver(at: now) }

    /// Notes that due work succeeded.
    mutating func haveDone() { rest = DueBackoff() }

    /// Notes that due work failed; returns its pause in seconds.
    mutating func restFromDue(at now: Instant) -> Int64 { rest.begin(at: now) }
}
