import Domain
import Storage

/// A job that deletes older report ids early if a device sends many reports.
struct InboxThinning: MaintenanceJob {
    private let environment: Environment
    /// Each device with too many report ids, and a time for each device.
    ///
    /// The device's report ids that are older than this time are deleted. Between two runs, the value is nil.
    private var crowded: [(did: DeviceID, before: Instant)]?
    /// The maximum number of transactions in a step.
    ///
    /// Workers can commit between these transactions. Deleting all old report ids at once would delay workers by up to
    /// a second.
    private static let transactionsMax = 10

    let name = "crowdedInbox"
    let interval: Duration = .seconds(600)

    init(_ environment: Environment) { self.environment = environment }

    /// In a run's first step, finds the devices with too many report ids; in later steps, deletes their older ids.
    mutating func step() throws -> Bool {
        var devices = try crowded ?? findCrowded()
        defer { crowded = devices.isEmpty ? nil : devices }
        guard crowded != nil else { return !devices.isEmpty }
        for _ in 0..<Self.transactionsMax {
            guard let (did, before) = devices.last else { return false }
            let limit = environment.limits.sweepStep
            let rows = try environment.store.batch(at: environment.clock.now) { tx in
                try tx.lock(devices: [did])
                return try tx.inbox.prune(did, before: before, limit: limit)
            }
            if rows < limit { devices.removeLast() }
        }
        return !devices.isEmpty
    }

    /// Returns the devices with more than twice as many report ids as the job keeps.
    private func findCrowded() throws -> [(did: DeviceID, before: Instant)] {
        let kept = environment.limits.inboxPerDevice
        let dids = try environment.store.read { tx in try tx.inbox.crowded(over: kept * 2) }
        return try dids.compactMap { did in
            try environment.store.read { tx in try tx.inbox.beginning(of: did, keeping: kept).map { (did, $0) } }
        }
    }
}
