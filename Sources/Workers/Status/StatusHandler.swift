import Batching
package import Domain
package import Storage
import Wire

/// The status worker's handler, which stores devices' reports and presence, publishes them, and registers devices.
///
/// Only the status worker publishes retained statuses.
package struct StatusHandler: BatchHandler {
    /// The worker's name and its subscriptions.
    package let role: WorkerRole
    private let environment: Environment
    private var catalog = Catalog()
    private var ids: IDSource
    private var reconciliation = PresenceReconciliation()

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        ids = IDSource(of: environment.store.slot)
        let topics = environment.topics
        let clients = [
            "device/+/report", "device/+/presence", "device/+/info", "product/+/+/register", "system/presence/+",
        ]
        role = WorkerRole(
            .status,
            Subscriptions(
                new: clients.flatMap { topics.filters($0, of: environment.divided) }
                    + [PresenceReconciliation.topic(environment)],
                swept: environment.shards.lane == 0
                    ? ["\(topics.root)/user/+/device/+/status"] : []
            )
        )
    }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects {
        // If disk space becomes low, the worker disconnects until there is enough space. Before it disconnects, it may
        // still receive messages. The error leaves these messages unacknowledged.
        if environment.disk.isLow { throw DiskGuard.IsLow() }
        var work = try beginWork(in: tx)
        // Callers are waiting for the outcomes of commands, so outcomes are published before all other messages.
        var outcomes = Effects()
        let runs = Self.runs(of: batch)
        try lockAhead(batch, in: tx)
        for run in runs { outcomes.merge(try carryOut(run, in: &work)) }
        ids = work.ids
        outcomes.merge(work.effects)
        for mark in reconciliation.takeMarks(environment) { outcomes.signal(mark) }
        return outcomes
    }

    /// Locks all devices of a batch at once if the batch contains registrations.
    private func lockAhead(_ batch: [Inbound], in tx: Transaction) throws {
        guard batch.contains(where: Self.isRegistration) else { return }
        let topics = batch.map { environment.topics.parse($0.topic) }
        let named = topics.compactMap(\.did)
        try tx.lock(naming: {
            let registering = try topics.compactMap { topic -> DeviceID? in
                guard case .register(let key, let mac) = topic else { return nil }
                return try tx.devices.find(key, mac)?.did
            }
            return (users: [], devices: registering + named)
        })
    }

    /// Processes registrations, then the other messages, and returns the outcomes of commands.
    private mutating func carryOut(_ run: ArraySlice<Inbound>, in work: inout UnitOfWork) throws -> Effects {
        var registrations = RegistrationProcessor(quotas: environment.quotas)
        var batch = StatusBatch()
        for message in run {
            let topic = work.topics.parse(message.topic)
            if case .register(let key, let mac) = topic {
                registrations.read(message, product: key, mac: mac, in: &work)
            } else {
                batch.read(message, on: topic, in: &work)
            }
        }
        try registrations.carryOut(in: &work)
        return try batch.carryOut(reconciling: &reconciliation, in: &work)
    }

    private mutating func beginWork(in tx: Transaction) throws -> UnitOfWork {
        try catalog.update(in: tx)
        var work = UnitOfWork(tx, topics: environment.topics, limits: environment.limits, catalog: catalog, ids: ids)
        work.shards = environment.shards
        return work
    }

    /// Splits a batch before each registration that follows another kind of message.
    ///
    /// Without this split, a report from before a reset could count for the new ownership period.
    private static func runs(of batch: [Inbound]) -> [ArraySlice<Inbound>] {
        var runs: [ArraySlice<Inbound>] = []
        var start = batch.startIndex
        var wasRegistration = true
        for index in batch.indices {
            let isRegistration = isRegistration(batch[index])
            if isRegistration, !wasRegistration {
                runs.append(batch[start..<index])
                start = index
            }
            wasRegistration = isRegistration
        }
        return runs + [batch[start...]]
    }

    private static func isRegistration(_ message: Inbound) -> Bool {
        message.topic.suffix(9).elementsEqual("/register".utf8)
    }

    // MARK: Due work

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        let isDue = try reconciliation.isDue || tx?.refreshes.isWaiting(environment.shards) == true
        return WaitingWork(nextDue: isDue ? WaitingWork.atOnce : nil)
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        var batch = StatusBatch()
        try reconciliation.callNext(
            in: tx,
            limit: environment.limits.refreshPage,
            of: environment
        ) { did in
            batch.add(.presence(.notAnnounced, nil), of: did)
        }
        let refreshes = try tx.refreshes.next(
            limit: environment.limits.refreshPage,
            of: environment.shards
        )
        for refresh in refreshes { batch.add(.refresh(refresh.uid), of: refresh.did) }
        try batch.lock(in: tx)
        try tx.refreshes.remove(refreshes)
        var work = try beginWork(in: tx)
        var effects = try batch.carryOut(reconciling: &reconciliation, in: &work)
        ids = work.ids
        effects.merge(work.effects)
        return effects
    }

    // MARK: A broker without the session

    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        let fact = PresenceReconciliation.pending(environment)
        if !isSessionPresent {
            try tx.refreshes.addAll(of: environment.shards)
            try tx.meta.set(fact, to: "1")
        }
        guard try tx.meta.value(fact) == "1" else { return [] }
        return reconciliation.begin(environment, at: tx.now)
    }
}
