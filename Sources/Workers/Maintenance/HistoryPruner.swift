import Domain
import Storage

/// Deletes expired history, device by device, in steps so small that they don't delay workers.
struct HistoryPruner {
    private let environment: Environment
    /// The pause between two steps, so that a message never waits for more than one.
    private static let breath: Duration = .milliseconds(5)

    init(_ environment: Environment) { self.environment = environment }

    /// Runs one round over all devices; ends between two steps if the task is cancelled.
    ///
    /// `tell` gets the number of checked devices that are known to have expired history.
    func prune(_ tell: (Int) -> Void = { _ in }) async throws {
        let days = try environment.store.read { tx in
            Dictionary(uniqueKeysWithValues: try tx.products.all().map { ($0.key, $0.historyDays) })
        }
        var last = ""
        while true {
            let devices = try environment.store.read { tx in
                try tx.devices.page(after: last, limit: 500)
            }
            guard let next = devices.last else { return }
            last = next.did.text
            let overdue = try devices.compactMap { device -> (DeviceID, Instant)? in
                let kept = days[device.productKey].flatMap(\.self) ?? environment.limits.historyDays
                let oldest = environment.clock.now.adding(seconds: -Int64(kept) * 86_400)
                return try isOlder(device.did, than: oldest) ? (device.did, oldest) : nil
            }
            for (place, (did, oldest)) in overdue.enumerated() {
                tell(overdue.count - place)
                while try step(did, before: oldest) { try await Task.sleep(for: Self.breath) }
            }
            tell(0)
            try await Task.sleep(for: Self.breath)
        }
    }

    private func isOlder(_ did: DeviceID, than oldest: Instant) throws -> Bool {
        try environment.store.read { tx in
            try tx.history.isOlder(than: oldest, did) || tx.retention.isOlder(did, than: oldest)
        }
    }

    /// Runs one transaction; returns whether more may follow.
    func step(_ did: DeviceID, before oldest: Instant) throws -> Bool {
        let limit = environment.limits.historyStep
        return try environment.store.batch(at: environment.clock.now) { tx in
            let logs = try tx.retention.prune(did, before: oldest, limit: limit)
            return try tx.history.prune(before: oldest, of: did, limit: limit) == limit || logs
        }
    }
}
