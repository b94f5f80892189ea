import Metrics
import Storage

/// Records how many devices are connected, and how much waits in each worker's outbox.
struct StoreGauges: MaintenanceJob {
    private let environment: Environment
    private let online = Gauge(label: "lamplighter_devices_online")
    private let outboxes: [(worker: WorkerName, gauge: Gauge)]

    let name = "gauges"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) {
        self.environment = environment
        outboxes = WorkerName.allCases.map { worker in
            let labels = [("worker", worker.rawValue)]
            return (worker, Gauge(label: "lamplighter_outbox_rows", dimensions: labels))
        }
    }

    func step() throws -> Bool {
        try environment.store.read { tx in
            online.record(try tx.statuses.onlineCount())
            for (worker, gauge) in outboxes {
                gauge.record(try tx.outbox.depth(of: worker.rawValue))
            }
        }
        return false
    }
}
