import Domain
import Logging
import Mosquitto
import Storage

extension WorkerLoop where Connection: ~Copyable {
    /// Commits a batch, and due work if any; returns the messages that are published once, without
    /// the outbox.
    mutating func commit(_ batch: [Inbound]) throws -> BatchCommitter<Handler>.Outcome {
        environment.clockHistory.note(environment.clock)
        let now = environment.clock.now
        guard case .commit(_, let due) = try step(for: batch, at: now) else {
            return BatchCommitter.Outcome()
        }
        let outcome = try committer.commit(batch, due: due, into: &publisher, at: now)
        poll.deletedConfirmed()
        switch outcome.due {
        case .untried: break
        case .succeeded: poll.dueSucceeded()
        case .failed(let error): postponeDue(error, at: now)
        }
        return outcome
    }

    private mutating func step(for batch: [Inbound], at now: Instant) throws -> PollState.Step {
        let received = PollState.Received(
            messages: batch.count,
            isIdle: intake.isEmpty,
            isCalled: environment.wakeups.takeWakeup(of: lane),
            confirmedRows: publisher.confirmedRowsState,
            isBehind: publisher.isBehind
        )
        let step = poll.next(after: .waitEnded(received), at: moment(now))
        if poll.isLooking { publisher.lookAgain() }
        guard case .look(let due) = step else { return step }
        let hasWork = try look(forDue: due, at: now)
        if !hasWork { publisher.take(stored: []) }
        return poll.next(after: .looked(hasWork: hasWork, due: due), at: moment(now))
    }

    private mutating func look(forDue due: Bool, at now: Instant) throws -> Bool {
        do {
            return try environment.store.read { tx in
                if try !publisher.stored(in: tx).isEmpty { return true }
                guard due else { return false }
                if let next = handler.nextDue, next <= now { return true }
                return try handler.isDue(in: tx)
            }
        } catch  where Failure.isMessages(error) {
            postponeDue(error, at: now)
            return false
        }
    }

    private mutating func postponeDue(_ error: any Error, at now: Instant) {
        let seconds = poll.dueFailed(at: now)
        metrics.dueFailed()
        logger.error(
            "Due work failed; messages are still handled",
            metadata: ["error": "\(Failure.summary(error))", "retry.seconds": "\(seconds)"]
        )
    }
}
