package import Domain
package import Storage
package import Wire

/// The schedule worker: answers requests about schedules, and runs triggered schedules.
package struct ScheduleHandler: BatchHandler {
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

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed {
        try catalog.update(in: tx)
        var owed = Owed()
        for run in runs(of: batch) {
            if isTrigger(run.first) {
                var work = TriggerBatch(environment, catalog, tx)
                for message in run { work.decode(message) }
                try work.load(in: tx)
                try work.decide(in: tx)
                try work.save(in: tx)
                owed.addAll(work.owed)
            } else {
                owed.addAll(try requests.handle(Array(run), in: tx))
            }
        }
        return owed
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

    package func apology(for message: Inbound) -> OutboundMessage? {
        requests.apology(for: message)
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

    package mutating func due(in tx: Transaction) throws -> Owed? {
        try catalog.update(in: tx)
        var owed = try requests.due(in: tx) ?? Owed()
        try replanner.step(catalog, in: tx, owed: &owed)
        return owed
    }
}

extension Owed {
    /// Adds all that another piece of work owes, including its dead letters.
    mutating func addAll(_ other: Owed) {
        add(other)
        for letter in other.deadLetters {
            putAside(
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
