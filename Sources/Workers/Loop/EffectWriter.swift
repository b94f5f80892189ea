import Domain
import Logging
import Storage
import Wire

/// A writer that stores effects and, after commits, wakes workers and starts slow work.
struct EffectWriter {
    /// The lane's name.
    private let worker: String
    private let topics: Topics
    private let parties: Parties
    /// The prefix of terminals' topics.
    private let appSpace: [UInt8]
    private let deadLettersMax: Int
    private let disk: DiskGuard
    /// The environment for wakeups and slow work, or nil in a process without workers.
    private let environment: Environment?
    /// The metrics of the worker's loop; nil outside a loop.
    private let metrics: WorkerMetrics?
    private let logger: Logger

    /// Creates a writer for a worker of this process; only the worker's loop passes metrics.
    init(
        worker: WorkerName,
        environment: Environment,
        metrics: WorkerMetrics? = nil,
        logger: Logger = Logger(label: "effects")
    ) {
        self.worker = environment.lane(of: worker).name
        (topics, parties) = (environment.topics, Parties(environment.topics))
        appSpace = Array("\(topics.root)/app/".utf8)
        deadLettersMax = environment.limits.deadLettersMax
        disk = environment.disk
        self.environment = environment
        self.metrics = metrics
        self.logger = logger
    }

    /// Creates a writer that acts for a worker of another process.
    init(worker: WorkerName, topics: Topics, limits: Limits) {
        self.worker = worker.rawValue
        (self.topics, parties) = (topics, Parties(topics))
        appSpace = Array("\(topics.root)/app/".utf8)
        deadLettersMax = limits.deadLettersMax
        disk = .none
        environment = nil
        metrics = nil
        logger = Logger(label: "effects")
    }

    // MARK: In the transaction

    /// Stores the messages, and returns their row in the outbox, if any.
    func write(_ effects: Effects, in tx: Transaction) throws -> Int64? {
        guard !effects.messages.isEmpty else { return nil }
        return try tx.outbox.add(effects.messages, by: worker, isSecret: effects.isSecret)
    }

    /// Stores a transaction's event-log entries, in one row for each kind.
    func log(_ all: [Effects], in tx: Transaction) throws {
        let events = all.flatMap(\.events)
        if !events.isEmpty { try tx.eventLog.append(events) }
    }

    /// Stores dead letters, and returns a notice of each dead letter, to be published.
    func keepDeadLetters(of effects: Effects, in tx: Transaction) throws -> [OutboundMessage] {
        // If the disk has too little space, dead letters are only counted and logged.
        guard !effects.deadLetters.isEmpty, !disk.isLow else { return [] }
        let ids = try tx.deadLetters.add(
            effects.deadLetters.map { ($0.topic, $0.payload, $0.isShapeOnly, $0.reason) },
            worker: worker,
            keeping: deadLettersMax
        )
        return zip(ids, effects.deadLetters).map { id, letter in
            OutboundMessage(
                topics.system("dead-letter"),
                SystemCodec.deadLetter(id: id, topic: letter.topic, reason: letter.reason, worker: worker, ts: tx.now)
            )
        }
    }

    /// Stores the worker's messages, events and dead letters, and returns whether messages were stored.
    @discardableResult
    func leave(_ effects: Effects, in tx: Transaction) throws -> Bool {
        var effects = effects
        for notice in try keepDeadLetters(of: effects, in: tx) { effects.publish(notice) }
        try log([effects], in: tx)
        return try write(effects, in: tx) != nil
    }

    // MARK: After the commit

    /// Wakes the workers that have new work, begins slow work, and updates the metrics.
    func finish(_ effects: Effects) {
        if let environment {
            for call in effects.woken {
                if let id = call.id {
                    environment.wakeups.wake(call.worker, of: id)
                } else {
                    environment.wakeups.wake(call.worker)
                }
            }
            charge(effects, environment)
            for job in effects.jobs { job.submit(to: environment) }
            if !effects.events.isEmpty { environment.eventWatch.ring() }
            for event in effects.events { EventMetrics.logged(event.type) }
            environment.observations.record(effects.observed, at: environment.clock.now)
            ObservationLog(logger: logger, bounded: environment.refusalLog).write(effects)
        }
        metrics?.refused(effects.rejected)
        metrics?.droppedHistory(effects.droppedHistory)
        for letter in effects.deadLetters { metrics?.deadLetter(letter.kind) }
    }

    /// Charges terminals for sent bytes, and reserves or refunds budget for answers.
    private func charge(_ effects: Effects, _ environment: Environment) {
        let (budget, parties, now) = (environment.answers, parties, environment.clock.steady)
        for messages in [effects.messages, effects.readings] {
            for message in messages where message.topic.utf8.starts(with: appSpace) {
                let bytes = message.topic.utf8.count + message.payload.count
                budget.charge(bytes, to: parties.party(of: message.topic).key, at: now)
            }
        }
        for topic in effects.settled { budget.settle(parties.party(of: topic).key, at: now) }
        for job in effects.jobs where job.work.readsStore {
            budget.reserve(for: parties.party(of: job.reply).key, at: now)
        }
    }
}
