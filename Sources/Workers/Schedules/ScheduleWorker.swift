package import Domain
package import Storage
package import Wire

/// The schedule worker: answers requests about schedules, and runs triggered schedules.
package struct ScheduleWorker: BatchHandler {
    private let environment: Environment
    private var requests: RequestHandler
    private var catalog = Catalog()
    private var replanner: Replanner

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        requests = RequestHandler(.schedule, ScheduleMethods.all, environment)
        replanner = Replanner(environment)
    }

    package var name: WorkerName { .schedule }

    package var filters: [String] {
        requests.filters + [environment.topics.system("trigger/+")]
    }

    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        try requests.connected(isSessionPresent: isSessionPresent, in: tx)
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        try catalog.update(in: tx)
        var effects = Effects()
        for run in runs(of: batch) {
            if isTrigger(run.first) {
                var work = TriggerBatch(environment, catalog, tx)
                for message in run { work.decode(message) }
                try work.load(in: tx)
                try work.decide(in: tx)
                try work.save(in: tx)
                effects.addAll(work.effects)
            } else {
                effects.addAll(try requests.handle(Array(run), in: tx))
            }
        }
        return effects
    }

    private func isTrigger(_ message: Inbound?) -> Bool {
        guard let message else { return true }
        return switch environment.topics.parse(message.topic) {
        case .request, .tokenUsed: false
        default: true
        }
    }

    /// Cuts a batch between triggers and requests, so that each sees the effects of earlier messages.
    private func runs(of batch: [Inbound]) -> [ArraySlice<Inbound>] {
        var runs: [ArraySlice<Inbound>] = []
        var start = batch.startIndex
        for index in batch.indices.dropFirst()
        where isTrigger(batch[index]) != isTrigger(batch[index - 1]) {
            runs.append(batch[start..<index])
            start = index
        }
        return runs + [batch[start...]]
    }

    package func failureReply(for message: Inbound) -> OutboundMessage? {
        requests.failureReply(for: message)
    }

    package func refusal(of message: Inbound, _ rejection: Rejection) -> OutboundMessage? {
        requests.refusal(of: message, rejection)
    }

    // MARK: Due work

    package func isDue(in tx: Transaction) throws -> Bool {
        if try requests.isDue(in: tx) { return true }
        return try tx.replans.isWaiting()
    }

    package var isAwaiting: Bool { requests.isAwaiting }
    package var nextDue: Instant? { replanner.checkAt }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        try catalog.update(in: tx)
        var effects = try requests.due(in: tx) ?? Effects()
        try replanner.step(catalog, in: tx, effects: &effects)
        return effects
    }
}

extension Effects {
    /// Adds all of other effects, including their dead letters.
    mutating func addAll(_ other: Effects) {
        add(other)
        for letter in other.deadLetters {
            deadLetter(
                letter.kind,
                letter.reason,
                topic: letter.topic,
                payload: letter.payload,
                isShapeOnly: letter.isShapeOnly
            )
        }
        addCounts(of: other)
    }
}
