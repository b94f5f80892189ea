package import Domain
package import Storage
package import Wire

/// The status worker: stores the reports and presence of devices and tells their users, registers devices, and alone
/// publishes retained statuses.
package struct StatusHandler: BatchHandler {
    private let environment: Environment
    private var catalog = Catalog()
    private var ids = IDSource()
    private var roll = RollCall()

    /// Makes the worker's handler.
    package init(_ environment: Environment) {
        self.environment = environment
    }

    package var name: WorkerName { .status }

    package var filters: [String] {
        let root = environment.topics.root
        return [
            "\(root)/device/+/report", "\(root)/device/+/presence", "\(root)/device/+/info",
            "\(root)/product/+/+/register", "\(root)/system/presence/+",
            environment.topics.system("worker/status"),
        ]
    }

    package var sweptFilters: [String] { ["\(environment.topics.root)/user/+/device/+/status"] }

    // MARK: The path

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed {
        // Messages that came before the worker noticed stay at the broker as well.
        if environment.disk.isLow { throw DiskGuard.IsLow() }
        try catalog.update(in: tx)
        var (owed, outcomes) = (Owed(), Owed())
        for run in Self.runs(of: batch) {
            var work = StatusBatch(environment, catalog)
            (work.owed, work.outcomes) = (owed, outcomes)
            for message in run { work.decode(message, at: tx.now) }
            try work.register(in: tx, ids: &ids)
            try work.load(in: tx)
            try work.decide(in: tx, ids: &ids, roll: &roll)
            try work.save(in: tx)
            (owed, outcomes) = (work.owed, work.outcomes)
        }
        owed.precede(with: outcomes)
        return owed
    }

    /// Cuts a batch where a registration follows another message: an earlier report must not end up in the life
    /// that a reset begins.
    private static func runs(of batch: [Inbound]) -> [ArraySlice<Inbound>] {
        var runs: [ArraySlice<Inbound>] = []
        var start = batch.startIndex
        var wasRegistration = true
        for (index, message) in batch.enumerated() {
            let isRegistration = message.topic.suffix(9).elementsEqual("/register".utf8)
            if isRegistration, !wasRegistration {
                runs.append(batch[start..<index])
                start = index
            }
            wasRegistration = isRegistration
        }
        return runs + [batch[start...]]
    }

    package func apology(for message: Inbound) -> OutboundMessage? {
        let topic: String
        switch environment.topics.parse(message.topic) {
        case .report(let did), .info(let did): topic = environment.topics.response(did)
        case .register(let key, let mac): topic = environment.topics.registered(key, mac)
        default: return nil
        }
        return message.apology.map { OutboundMessage(topic, $0) }
    }

    // MARK: Due work

    package func isDue(in tx: Transaction) throws -> Bool {
        if roll.isDue { return true }
        return try tx.refreshes.isWaiting()
    }

    package mutating func due(in tx: Transaction) throws -> Owed? {
        try catalog.update(in: tx)
        var work = StatusBatch(environment, catalog)
        try roll.callNext(in: tx, limit: environment.limits.refreshPage) { did in
            work.add(.presence(.notAnnounced), of: did)
        }
        let refreshes = try tx.refreshes.take(limit: environment.limits.refreshPage)
        for refresh in refreshes { work.add(.refresh(refresh.uid), of: refresh.did) }
        try work.load(in: tx)
        try work.decide(in: tx, ids: &ids, roll: &roll)
        try work.save(in: tx)
        work.owed.precede(with: work.outcomes)
        return work.owed
    }

    package var nextDue: Instant? { roll.isDue ? Instant(milliseconds: 0) : nil }

    // MARK: A broker that forgot

    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        if !isSessionPresent {
            try tx.refreshes.addAll()
            try tx.meta.set(RollCall.pending, to: "1")
        }
        guard try tx.meta.value(RollCall.pending) == "1" else { return [] }
        return roll.begin(environment.topics, at: tx.now)
    }

    package mutating func takeSignals() -> [OutboundMessage] {
        roll.takeSignals(environment.topics)
    }
}
