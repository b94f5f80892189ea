import Domain
import Wire

/// The results of a commit.
struct CommitOutcome {
    /// Notices of dead letters, each published once.
    var deadLetterNotices: [OutboundMessage] = []
    /// Messages that need no outbox.
    var signals: [OutboundMessage] = []
    /// Changes of credentials, which a gate on another machine must receive before all messages.
    var credentials: [String] = []
    /// The outcome of due work.
    var due = Due.untried

    /// The outcome of due work.
    enum Due {
        case untried, succeeded
        case failed(any Error)
    }

    /// Adds the results of a later commit.
    mutating func add(_ other: CommitOutcome) {
        credentials += other.credentials
        deadLetterNotices += other.deadLetterNotices
        signals += other.signals
        if case .untried = other.due { return }
        due = other.due
    }
}

/// The division of a worker's messages and due work among transactions, by the store's engine.
protocol BatchCommitter {
    /// Commits the parts of a batch, and due work if `due`; their messages go to the publisher.
    ///
    /// - Throws: An error that no message causes, after which the connection and the loop can't go on.
    static func commit<Handler: BatchHandler>(
        _ parts: [[Inbound]],
        due: Bool,
        by transactions: inout BatchTransactions<Handler>,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome
}

/// The committer of a file, whose writers take turns: all is done in one transaction.
enum FileCommitter: BatchCommitter {
    static func commit<Handler: BatchHandler>(
        _ parts: [[Inbound]],
        due: Bool,
        by transactions: inout BatchTransactions<Handler>,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        let batch = parts.count > 1 ? Array(parts.joined()) : parts.first ?? []
        guard due else {
            return try transactions.carryOutMessages(batch, into: &publisher, at: now)
        }
        do {
            return try transactions.carryOut(batch, due: true, into: &publisher, at: now)
        } catch  where Failure.isMessages(error) {
            // Retries due work in a separate transaction, so that neither it nor messages suffer from the other's
            // failure.
            var outcome = try transactions.carryOutMessages(batch, into: &publisher, at: now)
            outcome.add(try transactions.carryOutDue(into: &publisher, at: now))
            return outcome
        }
    }
}

/// The committer of a server's database, to which other processes write: each part has a transaction, and so has due
/// work.
enum ServerCommitter: BatchCommitter {
    static func commit<Handler: BatchHandler>(
        _ parts: [[Inbound]],
        due: Bool,
        by transactions: inout BatchTransactions<Handler>,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome {
        var outcome = CommitOutcome()
        let start = ContinuousClock.now
        for part in parts { outcome.add(try transactions.carryOutMessages(part, into: &publisher, at: now)) }
        // Answers are sent when all parts are done.
        let count = parts.reduce(0) { $0 + $1.count }
        transactions.pace.adapt(to: count, took: ContinuousClock.now - start)
        guard due else {
            guard parts.isEmpty else { return outcome }
            return try transactions.carryOutMessages([], into: &publisher, at: now)
        }
        repeat {
            outcome.add(try transactions.carryOutDue(into: &publisher, at: now))
            if case .failed = outcome.due { break }
        } while try transactions.handler.waiting(in: nil).canRelease
        return outcome
    }
}
