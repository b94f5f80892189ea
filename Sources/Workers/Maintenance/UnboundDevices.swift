import Domain
import Storage

/// A job that erases devices that were never bound and not seen for a while.
///
/// Any holder of the product's secret can register devices; each takes a row, and a record that the gate holds. A
/// device that was ever bound stays, even if it was bound remotely; so does a device whose MAC an operator listed,
/// since the list limits their number. An erased device that is switched on later registers again with its product's
/// secret, as at its first run.
struct UnboundDevices: MaintenanceJob {
    private let environment: Environment
    /// The devices that one run checks, in the order of their ids: a million in three hours.
    private static let page = 500
    /// The last device that was checked; empty when the next page is the first.
    private(set) var place = ""
    /// The devices of the page that are due; the last one is next.
    private var overdue: [DeviceID] = []

    let name = "unboundDevice"
    let interval: Duration = .seconds(5)
    let pause: Duration = .milliseconds(5)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        let days = Int64(environment.limits.counts.unboundDays)
        let oldest = environment.clock.now.adding(seconds: -days * 86_400)
        if let did = overdue.last {
            if try !erase(did, oldest) { overdue.removeLast() }
        } else {
            let (last, dids) = try environment.store.read { [place] tx in
                try tx.devices.neverBound(after: place, limit: Self.page, notSeenSince: oldest)
            }
            (place, overdue) = (last, dids.reversed())
        }
        return !overdue.isEmpty
    }

    /// Runs one transaction of a device's erasure; returns whether more may follow.
    private func erase(_ did: DeviceID, _ oldest: Instant) throws -> Bool {
        let limit = environment.limits.sweepStep
        let now = environment.clock.now
        return try environment.store.batch(at: now) { tx in
            try tx.lock(devices: [did])
            // The device may have been bound, or may have connected, since it was read.
            guard try tx.devices.isNeverBound(did, notSeenSince: oldest) else { return false }
            // Later than any time that a device's clock can give.
            let end = now.adding(seconds: 2 * Report.aheadMaxSeconds)
            if try tx.retention.prune(did, before: end, limit: limit) { return true }
            let pieces = environment.limits.historyStep
            if try tx.history.prune(before: end, of: did, limit: pieces) == pieces { return true }
            try tx.devices.forget(did)
            tx.afterCommit { environment.quotas.erased() }
            return false
        }
    }
}
