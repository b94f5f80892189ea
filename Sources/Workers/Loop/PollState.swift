import Domain

/// A state machine that decides how long a worker waits and what it does after the wait.
///
/// The state machine takes events, returns steps and has no side effects. Twice a second, a worker checks the store for
/// due work and other workers' messages. If processes share the work, the worker checks every two seconds. The worker
/// also checks when another worker wakes it. If neither a message nor a confirmation arrives during a wait, the worker
/// also checks after this wait. This rule doesn't apply to a wait that was shortened because of a delayed message.
struct PollState {
    /// The worker's next step.
    enum Step: Equatable {
        /// Wait for messages, at most for this time.
        case wait(Duration)
        /// Check the store for work (including due work if `due` is true), and then report the event `looked`.
        case look(due: Bool)
        /// Publish messages without using the store.
        case publishOnly
        /// Commit messages, delete confirmed rows, and do due work if `due` is true.
        case commit(messages: Int, due: Bool)
    }

    /// An event after which the state machine returns a step.
    enum Event {
        /// A turn begins.
        case turnBegins(Outlook)
        /// The wait is over.
        case waitEnded(Received)
        /// The store has been checked.
        case looked(hasWork: Bool, due: Bool)
    }

    /// The work known at the beginning of a turn.
    struct Outlook {
        /// True if messages are waiting in memory or rows must be read from the store.
        var hasWork = false
        /// When work is next due; nil if no work is scheduled, or if the outbox is too full for due work.
        var nextDue: Instant?
        /// How long a delayed message must still wait, or nil if no message is delayed.
        var pause: Duration?
        /// Whether rows of the outbox are waiting for deletion.
        var hasConfirmedRows = false
    }

    /// The result of a wait.
    struct Received {
        /// The number of messages to commit.
        var messages = 0
        /// True if no message and no confirmation arrived.
        var isIdle = false
        /// Whether another worker has woken this worker.
        var isCalled = false
        /// How many rows of the outbox wait for deletion: none, some or many.
        var confirmedRows = ConfirmedRows.none
        /// Whether the outbox is too full for due work to add messages.
        var isBehind = false
    }

    /// How many rows wait for deletion: none, some, or enough to delete them immediately.
    enum ConfirmedRows { case none, some, many }

    /// A moment, measured both by the machine's clock and by a monotonic clock.
    struct Moment {
        var wall: Instant
        var steady: ContinuousClock.Instant
    }

    private let patience: Duration
    private let confirmedLinger: Duration
    private var nextLook = Instant(milliseconds: 0)
    private var backoff = DueBackoff()
    /// Whether a delayed message limited the length of the last wait.
    private var isPausing = false
    /// The time since which confirmed rows have waited for deletion, or nil if no row is waiting.
    private var confirmedSince: ContinuousClock.Instant?
    /// Whether the current turn checks the store for messages that other workers have stored.
    private(set) var isLooking = false

    /// The time between two checks of the store, in milliseconds.
    private let interval: Int64
    private static let ownInterval: Int64 = 500
    private static let sharedInterval: Int64 = 2_000

    /// Creates the initial state of a worker.
    ///
    /// Processes that share the work also wake each other's lanes over the broker. Therefore, they check the store less
    /// often.
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

    /// Resets the backoff after a success.
    mutating func dueSucceeded() { backoff = DueBackoff() }

    /// Records that due work failed, and returns the seconds until the next try.
    mutating func dueFailed(at now: Instant) -> Int64 { backoff.begin(at: now) }

    /// Records that a transaction has deleted all confirmed rows.
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
        // If the next check is more than one interval ahead, the clock has been set back.
        let isTime = now >= nextLook || nextLook > now.adding(milliseconds: interval)
        guard received.isCalled || isTime || (received.isIdle && !isPausing) else { return false }
        nextLook = now.adding(milliseconds: interval)
        return true
    }

    /// Returns whether confirmed rows must be deleted now, rather than with the next batch.
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
