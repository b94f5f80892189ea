import Batching
package import Domain
package import Storage
import Wire

/// The handler of the schedule worker, which answers requests about schedules and runs triggered schedules.
package struct ScheduleWorker: BatchHandler {
    /// The worker's name and its subscriptions.
    package let role: WorkerRole
    private let environment: Environment
    private var requests: RequestHandler
    private var replanner = Replanner()

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        requests = RequestHandler(.schedule, methods: ScheduleMethods.all, environment)
        var subscriptions = requests.role.subscriptions
        subscriptions.new += environment.topics.filters(
            "system/trigger/+",
            of: environment.divided
        )
        role = WorkerRole(
            .schedule,
            subscriptions,
            longReadings: requests.role.longReadings
        )
        // Registers the counters with the value 0. Otherwise, monitoring would not see a counter's first increment.
        _ = ScheduleMetrics.shared
    }

    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        try requests.connected(isSessionPresent: isSessionPresent, in: tx)
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        var work = try requests.beginWork(in: tx)
        for stretch in stretches(of: batch) {
            tx.beginPiece()
            if isTrigger(stretch.first) {
                try TriggerBatch.carryOut(stretch, in: &work)
            } else {
                for message in stretch { try requests.handle(message, in: &work) }
            }
        }
        return requests.endWork(work)
    }

    package func parts(of batch: [Inbound], isShared: Bool) -> [[Inbound]] {
        guard isShared, !batch.isEmpty else { return batch.isEmpty ? [] : [batch] }
        return stretches(of: batch).flatMap { stretch in
            isTrigger(stretch.first) ? [Array(stretch)] : requests.parts(of: Array(stretch), isShared: true)
        }
    }

    private func isTrigger(_ message: Inbound?) -> Bool {
        guard let message else { return true }
        return switch environment.topics.parse(message.topic) {
        case .request, .tokenUsed: false
        default: true
        }
    }

    /// Splits a batch into stretches of triggers and of other messages, in their order.
    private func stretches(of batch: [Inbound]) -> [ArraySlice<Inbound>] {
        var stretches: [ArraySlice<Inbound>] = []
        var start = batch.startIndex
        for index in batch.indices.dropFirst() where isTrigger(batch[index]) != isTrigger(batch[index - 1]) {
            stretches.append(batch[start..<index])
            start = index
        }
        return stretches + [batch[start...]]
    }

    // MARK: Due work

    /// Whether this lane replans the schedules of all lanes.
    private var replans: Bool { environment.shards.lane == 0 }

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        var waiting = requests.waiting(in: tx)
        guard replans else { return waiting }
        waiting.nextDue = try tx?.replans.isWaiting() == true ? WaitingWork.atOnce : replanner.checkAt
        return waiting
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        var work = try requests.beginWork(in: tx)
        let hasReleased = requests.canRelease
        try requests.answerReleased(in: &work)
        // On a shared database, the replanner takes its locks in a separate transaction. Therefore, the replanner
        // doesn't run in a transaction that answers requests whose slow work is done.
        if replans, !hasReleased || !environment.store.isShared {
            tx.beginPiece()
            try replanner.step(in: &work)
        }
        return requests.endWork(work)
    }
}
