import Domain
package import Logging
import Metrics
import Storage
import Synchronization

/// Deletes expired rows in small steps that don't delay workers, and records the store's gauges.
///
/// Each step is a transaction of its own; if one deletes as many rows as a step may, the next follows soon.
package final class Sweeper: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let online = Gauge(label: "lamplighter_devices_online")
    private let databaseGauges: [WorkerName: Gauge]
    private let accounts: AccountSweeper
    private let backlog: BacklogMeter
    private let bounds: RowBounds
    private let unbound: UnboundSweeper
    private let unboundPlace = Mutex("")
    /// The devices that send very many reports, each with the moment up to which its report ids are deleted.
    private let crowded = Mutex<[(did: DeviceID, before: Instant)]>([])
    /// Steps of report ids that one round deletes: workers commit between two of them.
    private static let inboxSteps = 10

    /// Prepares a sweeper.
    package init(_ environment: Environment, logger: Logger) {
        self.environment = environment
        self.logger = logger
        accounts = AccountSweeper(environment)
        backlog = BacklogMeter(environment)
        bounds = RowBounds(environment)
        unbound = UnboundSweeper(environment)
        databaseGauges = Dictionary(
            uniqueKeysWithValues: WorkerName.allCases.map { name in
                let labels = [("worker", name.rawValue)]
                return (name, Gauge(label: "lamplighter_outbox_rows", dimensions: labels))
            }
        )
    }

    /// Runs until the task is cancelled: a round every few seconds, on the caller's executor.
    package func run() async throws {
        var crowdedAt = Instant(milliseconds: 0)
        while !Task.isCancelled {
            do {
                let isBusy = try sweep()
                if environment.clock.now > crowdedAt.adding(seconds: 600) {
                    crowdedAt = environment.clock.now
                    try findCrowded()
                    try await HistoryPruner(environment).prune { backlog.historyWaits($0) }
                }
                try measure()
                try await Task.sleep(for: isBusy ? .milliseconds(200) : .seconds(5))
            } catch is CancellationError {
                return
            } catch {
                logger.warning(
                    "A sweep failed",
                    metadata: ["error": "\(StoreError.summary(error))"]
                )
                try? await Task.sleep(for: .seconds(5))
            }
        }
    }

    /// Runs one round; returns whether more rows are waiting.
    package func sweep() throws -> Bool {
        let limits = environment.limits
        let step = limits.sweepStep
        let now = environment.clock.now
        let reports = try environment.store.batch(at: now) { tx in
            try tx.inbox.prune(before: now.adding(seconds: -limits.inboxSeconds), limit: step)
        }
        let requests = try environment.store.batch(at: now) { tx in
            [
                try tx.attempts.prune(before: now, limit: step),
                try tx.codes.prune(before: now, limit: step),
                try tx.links.prune(
                    before: now.adding(seconds: -BacklogMeter.linkSeconds),
                    limit: step
                ),
                try tx.runs.prune(
                    before: now.adding(seconds: -limits.scheduleRunSeconds),
                    limit: step
                ),
                try tx.requests.prune(
                    before: now.adding(seconds: -limits.requestSeconds),
                    limit: step
                ),
            ]
        }
        try environment.store.batch(at: now) { tx in
            let oldest = now.adding(seconds: -limits.refusalSeconds)
            try tx.refusals.prune(keeping: limits.refusalsMax, since: oldest)
        }
        let place = try unbound.round(after: unboundPlace.withLock { $0 })
        unboundPlace.withLock { $0 = place }
        let isBusy = try [accounts.sweep(), bounds.trim(), thinInbox()].contains(true)
        return isBusy || reports == step || requests.contains(step)
    }

    /// Looks for devices with twice as many report ids as are kept.
    func findCrowded() throws {
        let kept = environment.limits.inboxPerDevice
        let dids = try environment.store.read { tx in try tx.inbox.crowded(over: kept * 2) }
        let found = try dids.compactMap { did in
            try environment.store.read { tx in
                try tx.inbox.beginning(of: did, keeping: kept).map { (did, $0) }
            }
        }
        crowded.withLock { $0 = found }
    }

    /// Deletes some of their older report ids; returns whether there are more.
    ///
    /// All of a device's in one transaction would hold up every worker for as long as a second.
    private func thinInbox() throws -> Bool {
        for _ in 0..<Self.inboxSteps {
            guard let (did, before) = crowded.withLock({ $0.last }) else { return false }
            let step = environment.limits.sweepStep
            let rows = try environment.store.batch(at: environment.clock.now) { tx in
                try tx.inbox.prune(did, before: before, limit: step)
            }
            if rows < step { crowded.withLock { _ = $0.popLast() } }
        }
        return true
    }

    private func measure() throws {
        try accounts.measure()
        try backlog.measure()
        try environment.store.read { tx in
            online.record(try tx.statuses.onlineCount())
            for (name, gauge) in databaseGauges {
                gauge.record(try tx.outbox.depth(of: name.rawValue))
            }
        }
    }
}
