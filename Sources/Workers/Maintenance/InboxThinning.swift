import Domain
import Storage

/// A job that deletes the older report ids of devices that send very many reports, before these ids expire.
struct InboxThinning: MaintenanceJob {
    private let environment: Environment
    /// The devices with very many reports, whose report ids from before the given times are deleted; nil between two
    /// runs.
    private var crowded: [(did: DeviceID, before: Instant)]?
    /// The maximum number of transactions in one step; workers can commit between two transactions.
    ///
    /// Deleting all old report ids of a device in one transaction would delay every worker by up to a second.
    private static let transactionsMax = 10

    let name = "crowdedInbox"
    let interval: Duration = .seconds(600)

    init(_ environment: Environment) { self.environment = environment }

    /// The first step of a run finds the devices with too many report ids; each later step deletes older report ids of
    /// these devices, until no device is left.
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

    /// Returns the devices that have more than twice as many report ids as the job keeps for each device.
    private func findCrowded() throws -> [(did: DeviceID, before: Instant)] {
        let kept = environment.limits.inboxPerDevice
        let dids = try environment.store.read { tx in try tx.inbox.crowded(over: kept * 2) }
        return try dids.compactMap { did in
            try environment.store.read { tx in try tx.inbox.beginning(of: did, keeping: kept).map { (did, $0) } }
        }
    }
}
