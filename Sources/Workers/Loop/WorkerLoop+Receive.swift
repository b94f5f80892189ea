import Domain
import Logging
import Mosquitto
import Wire

extension WorkerLoop where Connection: ~Copyable {
    /// Receives messages and confirmations; waits for them as long as there is nothing else to do.
    mutating func receive() throws {
        try connection.receive(
            upTo: room,
            linger: environment.limits.batchLinger,
            wait: wait(),
            into: &intake
        )
        publisher.confirm(intake.confirmed)
        if let told = refusals.take(intake.confirmed, metrics, at: environment.clock.now) {
            logger.warning("The broker did not accept messages of this worker", metadata: told)
        }
    }

    /// The number of messages that may be received.
    ///
    /// It is zero while much waits to be published: that bounds the memory, and the broker queues
    /// new messages meanwhile. Emptying the outbox needs no message.
    private var room: Int {
        let limits = environment.limits
        guard mayReceive, !publisher.isBehind, queue.hasRoom(limits) else { return 0 }
        // While work waits, the worker reads more than it handles: senders take turns among the
        // messages here.
        return queue.count == 0 ? limits.batchMax : 4 * limits.batchMax
    }

    private mutating func wait() -> Duration {
        let now = environment.clock.now
        let pauses = [
            publisher.pause(at: now).map { .milliseconds($0) }, lateness.pause,
            queue.held.pause(at: environment.clock.steady),
        ]
        let outlook = PollState.Outlook(
            hasWork: publisher.needsStore || queue.count > 0,
            nextDue: publisher.isBehind ? nil : handler.nextDue,
            pause: pauses.compactMap(\.self).min(),
            hasConfirmedRows: publisher.hasConfirmedRows
        )
        guard case .wait(let duration) = poll.next(after: .turnBegins(outlook), at: moment(now))
        else { return .zero }
        return duration
    }

    /// The topic on which other processes wake the lane.
    var wakeTopic: String { environment.topics.system("wake/\(lane.name)") }

    /// Removes other processes' calls from a batch, and wakes the lane if there were any.
    func takeWakeups(from batch: [Inbound]) -> [Inbound] {
        guard environment.plan.isShared else { return batch }
        let topic = wakeTopic
        let rest = batch.filter { !$0.topic.elementsEqual(topic.utf8) }
        if rest.count < batch.count { environment.wakeups.callHere(lane) }
        return rest
    }

    /// Returns the current moment, with its wall clock time given.
    func moment(_ wall: Instant) -> PollState.Moment {
        PollState.Moment(wall: wall, steady: .now)
    }
}
