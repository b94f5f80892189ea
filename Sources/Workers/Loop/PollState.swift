import Domain

/// A state machine that decides how long a worker waits, and which step follows the wait.
///
/// It takes events, returns steps and has no side effects. A worker checks the store for messages left by other workers
/// and for due work twice a second, or every two seconds if processes share the work. It also checks when another
/// worker calls, and when a wait ends without a packet, which means that it was woken. A packet without work, such as a
/// confirmation, is no reason to check.
struct PollState {
    /// The worker's next step.
    enum Step: Equatable {
        /// Waits for messages, at most this long.
        case wait(Duration)
        /// Checks whether the store holds work, due work too if `due`; `Event.looked` reports the result.
        case look(due: Bool)
        /// Publishes what it may, without using the store.
        case publishOnly
        /// Commits this number of messages, and due work if `due`; confirmed rows are deleted with it.
        case commit(messages: Int, due: Bool)
    }

    /// An event that a step follows.
    enum Event {
        /// A turn begins.
        case turnBegins(Outlook)
        /// The wait is over.
        case waitEnded(Received)
        /// The check of the store is done.
        case looked(hasWork: Bool, due: Bool)
    }

    /// The work known at the beginning of a turn.
    struct Outlook {
        /// Whether messages wait in memory, or rows of the store must be read.
        var hasWork = false
        /// The next time of due work; nil if only other workers can cause it, or if it must not be done.
        var nextDue: Instant?
        /// The time until the first message that waits for its time; nil if none does.
        var pause: Duration?
        /// Whether rows of the outbox wait for deletion.
        var hasConfirmedRows = false
    }

    /// The result of a wait.
    struct Received {
        /// The number of messages to commit.
        var messages = 0
        /// Whether neither a message nor a confirmation arrived.
        var isIdle = false
        /// Whether another worker has called.
        var isCalled = false
        /// Rows of the outbox that wait for deletion.
        var confirmedRows = ConfirmedRows.none
        /// Whether the outbox is behind, so that due work must not add to it.
        var isBehind = false
    }

    /// The number of rows that wait for deletion; many must be deleted at once.
    enum ConfirmedRows { case none, some, many }

    /// A moment, by the wall clock and by a clock that is never set.
    struct Moment {
        var wall: Instant
        var steady: ContinuousClock.Instant
    }

    private let patience: Duration
    private let confirmedLinger: Duration
    private var nextLook = Instant(milliseconds: 0)
    private var backoff = DueBackoff()
    /// Whether the last wait was for the time of a message.
    private var isPausing = false
    /// The time since which rows of the outbox wait for deletion; nil if none does.
    private var confirmedSince: ContinuousClock.Instant?
    /// Whether the current turn checks the store for messages that others left.
    private(set) var isLooking = false

    /// The milliseconds between two checks of the store.
    private let interval: Int64
    private static let ownInterval: Int64 = 500
    private static let sharedInterval: Int64 = 2_000

    /// Creates the state of a worker.
    ///
    /// Processes that share the work also wake each other's lanes over the broker, so they check the store less often.
    init(_ limits: Limits, isShared: Bool = false) {
        interval = isShared ? Self.sharedInterval : Self.ownInterval
        patience = limits.patience
        confirmedLinger = limits.confirmedLinger
    }

    /// Returns the step that follows an event.
    mutating func next(after event: Event, at now: Moment) -> Step {
        switch event {
        case .turnBegins(let outlook): .wait(wait(outlook, at: now.wall))
        case .waitEnded(let received): step(after: received, at: now)
        case .looked(let hasWork, let due):
            hasWork ? .commit(messages: 0, due: due) : .publishOnly
        }
    }

    /// Notes that due work succeeded.
    mutating func dueSucceeded() { backoff = DueBackoff() }

    /// Notes that due work failed; returns the pause before it is tried again, in seconds.
    mutating func dueFailed(at now: Instant) -> Int64 { backoff.begin(at: now) }

    /// Notes that a transaction has deleted all confirmed rows.
    mutating func deletedConfirmed() { confirmedSince = nil }

    private mutating func wait(_ outlook: Outlook, at now: Instant) -> Duration {
        isPausing = false
        guard !outlook.hasWork else { return .zero }
        var longest = outlook.hasConfirmedRows ? min(patience, confirmedLinger) : patience
        if let due = outlook.nextDue {
            let left = max(due, backoff.end).milliseconds - now.milliseconds
            longest = min(longest, .milliseconds(max(0, left)))
        }
        guard let pause = outlook.pause, pause < longest else { return longest }
        isPausing = true
        return pause
    }

    private mutating func step(after received: Received, at now: Moment) -> Step {
        isLooking = mustLook(received, at: now.wall)
        let due = isLooking && backoff.isOver(at: now.wall) && !received.isBehind
        if received.messages > 0 || mustDelete(received.confirmedRows, at: now.steady) {
            return .commit(messages: received.messages, due: due)
        }
        return isLooking ? .look(due: due) : .publishOnly
    }

    private mutating func mustLook(_ received: Received, at now: Instant) -> Bool {
        // A next check farther ahead than the interval was set by a clock that was set back since.
        let isTime = now >= nextLook || nextLook > now.adding(milliseconds: interval)
        guard received.isCalled || isTime || (received.isIdle && !isPausing) else { return false }
        nextLook = now.adding(milliseconds: interval)
        return true
    }

    /// Whether confirmed rows must be deleted now; otherwise they are deleted with the next batch.
    private mutating func mustDelete(
        _ rows: ConfirmedRows,
        at now: ContinuousClock.Instant
    ) -> Bool {
        guard rows != .none else {
            confirmedSince = nil
            return false
        }
        let since = confirmedSince ?? now
        confirmedSince = since
        return rows == .many || now - since >= confirmedLinger
    }
}
