import Domain
import Storage

/// A job that deletes a device's history, events and commands if they are older than its product's settings allow.
struct DeviceRetention: MaintenanceJob {
    private let environment: Environment
    /// The id of the last checked device, or empty before a run.
    private var place = ""
    private var days: [ProductKey: Int] = [:]
    /// The current page's devices with data to delete, handled from the array's end.
    private var overdue: [(did: DeviceID, oldest: Instant)] = []
    /// The number of devices that one step checks.
    private static let page = 500

    let name = "history"
    let interval: Duration = .seconds(600)
    let pause: Duration = .milliseconds(5)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        guard let (did, oldest) = overdue.last else { return try lookAtPage() }
        if try !delete(did, before: oldest) { overdue.removeLast() }
        return true
    }

    /// Returns how many devices of the current page have data to delete, at most `limit`.
    ///
    /// The job doesn't count rows, because one row of history contains many records.
    func backlog(limit: Int) -> Int64? { Int64(min(overdue.count, limit)) }

    /// Finds the devices with data to delete in the next page, and returns false if there is no next page.
    private mutating func lookAtPage() throws -> Bool {
        let store = environment.store
        if place.isEmpty {
            days = try store.read { tx in
                let kept = try tx.products.all().compactMap { product in product.historyDays.map { (product.key, $0) } }
                return Dictionary(uniqueKeysWithValues: kept)
            }
        }
        let devices = try store.read { [place] in try $0.devices.page(after: place, limit: Self.page) }
        place = devices.last?.did.text ?? ""
        let now = environment.clock.now
        overdue = try devices.reversed().compactMap { device -> (did: DeviceID, oldest: Instant)? in
            let kept = days[device.productKey] ?? environment.limits.historyDays
            let oldest = now.adding(seconds: -Int64(kept) * 86_400)
            return try isOlder(device.did, than: oldest) ? (device.did, oldest) : nil
        }
        return !devices.isEmpty
    }

    private func isOlder(_ did: DeviceID, than oldest: Instant) throws -> Bool {
        try environment.store.read { tx in
            try tx.history.isOlder(than: oldest, did) || tx.retention.isOlder(did, than: oldest)
        }
    }

    /// Deletes a device's old data in one transaction, and returns whether more may remain.
    private func delete(_ did: DeviceID, before oldest: Instant) throws -> Bool {
        let limit = environment.limits.historyStep
        return try environment.store.batch(at: environment.clock.now) { tx in
            try tx.lock(devices: [did])
            let logs = try tx.retention.prune(did, before: oldest, limit: limit)
            return try tx.history.prune(before: oldest, of: did, limit: limit) == limit || logs
        }
    }
}
