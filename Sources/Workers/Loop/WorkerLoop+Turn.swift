import Domain
import Logging
import Mosquitto
import Storage
import Wire

extension WorkerLoop where Connection: ~Copyable {
    /// Runs one turn; returns how many messages were received and published.
    @discardableResult
    package mutating func turn() throws -> (received: Int, published: Int) {
        try receive()
        reached(.read)
        var batch = queue.next(intake, upTo: transactions.pace.size, at: environment.clock.steady)
        let answers = refuseUnfit(in: &batch)
        let parts = handler.parts(of: batch, isShared: environment.store.isShared)
        let outcome = try commit(parts)
        // This call only releases the acknowledgements. The method `flush()` sends them after the published messages.
        connection.acknowledge(queue.finishBatch())
        try teach(outcome.credentials)
        let published = try publisher.publish(to: &connection, at: environment.clock.now)
        try publish(outcome, answers: answers)
        reached(.published)
        try connection.flush()
        reached(.flushed)
        try unsubscribeWhenSwept()
        recordMetrics(published: published)
        return (intake.deliveries.count, published)
    }

    // MARK: Receiving

    /// Receives messages and confirmations, and waits for them if there is no other work.
    private mutating func receive() throws {
        try connection.receive(upTo: room, linger: environment.limits.batchLinger, wait: try wait(), into: &intake)
        publisher.confirm(intake.confirmed)
        if let told = refusals.count(intake.confirmed, metrics, at: environment.clock.now) {
            logger.warning("The broker did not accept messages of this worker", metadata: told)
        }
    }

    /// The number of messages that the worker can receive now.
    ///
    /// While many messages wait to be published, the worker receives no new messages. This limits the worker's memory.
    /// New messages wait in the broker. The worker can empty the outbox even while it receives no messages.
    private var room: Int {
        let limits = environment.limits
        guard mayReceive, !publisher.isBehind, queue.hasRoom(limits) else { return 0 }
        // If messages already wait in the worker's queue, the worker receives up to four batches at once. The queue
        // then has messages of more senders, and these senders take turns.
        return queue.count == 0 ? limits.batchMax : 4 * limits.batchMax
    }

    private mutating func wait() throws -> Duration {
        let now = environment.clock.now
        let held = queue.held.pause(at: environment.clock.steady)
        let pauses = [publisher.pause(at: now).map { .milliseconds($0) }, lateness.pause, held]
        let outlook = PollState.Outlook(
            hasWork: publisher.needsStore || queue.count > 0,
            nextDue: publisher.isBehind ? nil : try handler.waiting(in: nil).nextDue,
            pause: pauses.compactMap(\.self).min(),
            hasConfirmedRows: publisher.hasConfirmedRows
        )
        guard case .wait(let duration) = poll.next(after: .turnBegins(outlook), at: moment(now)) else { return .zero }
        return duration
    }

    /// The topic on which other processes wake the lane.
    var wakeTopic: String { environment.topics.system("wake/\(lane.name)") }

    /// Removes other processes' wakeups from a batch, and wakes the lane if there was a wakeup.
    private func takeWakeups(from batch: [Inbound]) -> [Inbound] {
        guard environment.plan.isShared else { return batch }
        let topic = wakeTopic
        let rest = batch.filter { !$0.topic.elementsEqual(topic.utf8) }
        if rest.count < batch.count { environment.wakeups.callHere(lane) }
        return rest
    }

    /// Returns the current moment on both clocks, given the machine's time.
    func moment(_ wall: Instant) -> PollState.Moment { PollState.Moment(wall: wall, steady: .now) }

    /// Removes wakeups, echoes and unfit requests, and returns the answers to refused requests.
    private mutating func refuseUnfit(in batch: inout [Inbound]) -> [OutboundMessage] {
        batch = lateness.takeEchoes(from: takeWakeups(from: batch))
        let topics = environment.topics
        var unfit = UnfitRequests.part(&batch, handler, on: topics)
        for (message, rejection) in queue.takeRefused() {
            let answer = topics.refusal(of: message, rejection, by: handler)
            UnfitRequests.refuse(message, rejection, with: answer, into: &unfit)
        }
        log(unfit.refused)
        return unfit.answers
    }

    // MARK: Committing

    /// Commits a batch and due work, and returns the messages that must be published without the outbox.
    private mutating func commit(_ parts: [[Inbound]]) throws -> CommitOutcome {
        environment.clockHistory.record(environment.clock)
        let now = environment.clock.now
        let count = parts.reduce(0) { $0 + $1.count }
        guard case .commit(_, let due) = try step(messages: count, at: now) else { return CommitOutcome() }
        let committer: any BatchCommitter.Type =
            environment.store.isShared ? ServerCommitter.self : FileCommitter.self
        let outcome = try committer.commit(parts, due: due, by: &transactions, into: &publisher, at: now)
        poll.deletedConfirmed()
        switch outcome.due {
        case .untried: break
        case .succeeded: poll.dueSucceeded()
        case .failed(let error): postponeDue(error, at: now)
        }
        return outcome
    }

    private mutating func step(messages count: Int, at now: Instant) throws -> PollState.Step {
        let received = PollState.Received(
            messages: count,
            isIdle: intake.isEmpty,
            isCalled: environment.wakeups.takeWakeup(of: lane),
            confirmedRows: publisher.confirmedRowsState,
            isBehind: publisher.isBehind
        )
        let step = poll.next(after: .waitEnded(received), at: moment(now))
        if poll.isLooking { publisher.expectStoredRows() }
        guard case .look(let due) = step else { return step }
        let hasWork = try storeHasWork(orDue: due, at: now)
        if !hasWork { publisher.enqueue(stored: []) }
        return poll.next(after: .looked(hasWork: hasWork, due: due), at: moment(now))
    }

    private mutating func storeHasWork(orDue due: Bool, at now: Instant) throws -> Bool {
        do {
            return try environment.store.read { tx in
                if try !publisher.stored(in: tx).isEmpty { return true }
                guard due else { return false }
                return try handler.waiting(in: tx).isDue(at: now)
            }
        } catch  where Failure.isMessages(error) {
            postponeDue(error, at: now)
            return false
        }
    }

    private mutating func postponeDue(_ error: any Error, at now: Instant) {
        let seconds = poll.dueFailed(at: now)
        metrics.dueFailed()
        let metadata: Logger.Metadata = ["error": "\(error)", "retry.seconds": "\(seconds)"]
        let failed: Logger.Message = "Periodic work failed and will be tried again; the worker still handles messages"
        logger.error(failed, metadata: metadata)
    }

    // MARK: Publishing

    /// Publishes messages that need no outbox: notices, signals, refusals and echoes.
    private mutating func publish(_ outcome: CommitOutcome, answers: [OutboundMessage]) throws {
        // Notices are sent over an outlet, because the receiving connection would send them only after the
        // acknowledgements of received messages.
        try connection.publish(outcome.deadLetterNotices, over: 0, quality: .atMostOnce)
        let echo = lateness.measure(queued: queue.oldest, unpublished: publisher.oldest)
        let signals = answers + outcome.signals + [echo].compactMap(\.self)
        try connection.publish(signals, over: 0, quality: .atLeastOnce)
    }

    /// Ends the one-time subscriptions to retained messages, once all received messages are handled.
    private mutating func unsubscribeWhenSwept() throws {
        guard queue.isIdle, !mustUnsubscribe.isEmpty else { return }
        try connection.unsubscribe(mustUnsubscribe)
        mustUnsubscribe = []
    }

    private mutating func recordMetrics(published: Int) {
        metrics.turn(received: intake.deliveries.count, published: published)
        metrics.holds(publisher, queue)
        metrics.leftOut(publisher.takeLeftOut())
    }

    /// The maximum number of credentials in a message, so that the message stays below 64 KiB.
    ///
    /// A credential has at most 700 hexadecimal digits.
    private static var credentialsInAMessage: Int { 60 }

    /// Sends changed credentials to a remote gate, before the answers that depend on them.
    ///
    /// The credentials are sent over each connection that sends answers, because two messages arrive in order only if
    /// both are sent over the same connection.
    private mutating func teach(_ credentials: [String]) throws {
        guard !credentials.isEmpty else { return }
        for start in stride(from: 0, to: credentials.count, by: Self.credentialsInAMessage) {
            let part = Array(credentials[start...].prefix(Self.credentialsInAMessage))
            let lesson = OutboundMessage(Topics.gateControl, SystemCodec.gate([.learn(part)]))
            for outlet in 0..<max(1, environment.limits.outlets) {
                try connection.publish(lesson, over: outlet, quality: .atLeastOnce)
            }
        }
    }

    private func log(_ refused: [RefusedMessage]) {
        guard !refused.isEmpty else { return }
        var effects = Effects()
        for message in refused { effects.observed.add(message) }
        metrics.refused(Dictionary(refused.map { ($0.code, 1) }, uniquingKeysWith: +))
        ObservationLog(logger: logger, bounded: environment.refusalLog).write(effects)
    }
}
