import Domain
import Wire

/// The results of the commits of a batch and of due work.
struct CommitOutcome {
    /// The notices of dead letters; each notice is published once.
    var deadLetterNotices: [OutboundMessage] = []
    /// The messages that need no outbox.
    var signals: [OutboundMessage] = []
    /// The changed credentials, which a remote gate must receive before all other messages.
    var credentials: [String] = []
    /// The outcome of the work that was due.
    var due = Due.untried

    /// The outcome of the due work.
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

/// A type that divides a worker's messages and due work into transactions, depending on the store.
protocol BatchCommitter {
    /// Commits the parts of a batch, and the due work if `due` is true.
    ///
    /// - Throws: An error that ends the connection and the loop. No message caused this error.
    static func commit<Handler: BatchHandler>(
        _ parts: [[Inbound]],
        due: Bool,
        by transactions: inout BatchTransactions<Handler>,
        into publisher: inout Publisher,
        at now: Instant
    ) throws -> CommitOutcome
}

/// The committer for a database file, which uses one transaction, because only one writer at a time can commit.
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
            // The joint transaction has failed. Messages and due work are tried again in separate transactions. So
            // neither can make the other fail.
            var outcome = try transactions.carryOutMessages(batch, into: &publisher, at: now)
            outcome.add(try transactions.carryOutDue(into: &publisher, at: now))
            return outcome
        }
    }
}

/// The committer for a database server: one transaction per part, and one for due work.
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
