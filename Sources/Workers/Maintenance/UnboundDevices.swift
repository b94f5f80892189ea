import Domain
import Storage

/// A job that erases devices that were never bound and have not been seen for a long time.
///
/// Anyone with a product's secret can register devices. Each device takes up a row in the store and a record in the
/// gate. Devices that have ever been bound are kept. Devices with MACs on an operator's list are also kept, because the
/// list limits the number of such devices. An erased device registers again with its product's secret when it is
/// switched on.
struct UnboundDevices: MaintenanceJob {
    private let environment: Environment
    /// The number of devices that one run checks.
    ///
    /// At this rate, the job checks a million devices in about three hours.
    private static let page = 500
    /// The id of the last checked device, or empty before the first page.
    private(set) var place = ""
    /// The current page's devices that must be erased, handled from the array's end.
    private var overdue: [DeviceID] = []

    let name = "unboundDevice"
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

    /// Runs one transaction of a device's erasure, and returns whether more may follow.
    private func erase(_ did: DeviceID, _ oldest: Instant) throws -> Bool {
        let limit = environment.limits.sweepStep
        let now = environment.clock.now
        return try environment.store.batch(at: now) { tx in
            try tx.lock(devices: [did])
            // The device may have been bound or may have connected after this job read its id.
            guard try tx.devices.isNeverBound(did, notSeenSince: oldest) else { return false }
            // `end` is later than any accepted report, so all the device's data is deleted.
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
