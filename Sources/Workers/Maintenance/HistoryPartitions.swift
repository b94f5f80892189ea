import Domain
import Logging
import Storage

/// A job that makes the history's weekly partitions in advance, and drops old ones.
///
/// The job runs only on PostgreSQL. Some products keep their history for a shorter time than others. `DeviceRetention`
/// deletes the old history of these products' devices.
struct HistoryPartitions: MaintenanceJob {
    private let environment: Environment
    private let logger: Logger

    let name = "historyPartitions"
    let interval: Duration = .seconds(3600)

    init(_ environment: Environment, _ logger: Logger) {
        self.environment = environment
        self.logger = logger
    }

    func step() throws -> Bool {
        let store = environment.store
        let now = environment.clock.now
        let made = try store.makeHistoryPartitions(at: now)
        let days = try store.read { try $0.products.all().compactMap(\.historyDays).max() } ?? 0
        let kept = Int64(max(days, environment.limits.historyDays)) * 86_400
        let dropped = try store.dropHistoryPartitions(before: now.adding(seconds: -kept))
        if made + dropped > 0 {
            logger.info(
                "The history's partitions were updated",
                metadata: ["made": "\(made)", "dropped": "\(dropped)"]
            )
        }
        return false
    }
}
