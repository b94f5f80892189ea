import Domain
import Metrics
import Storage

/// Records how many devices are connected, and how much waits in each worker's outbox, and for how long.
struct StoreGauges: MaintenanceJob {
    private struct Outbox {
        let worker: String
        let rows: Gauge
        let age: Gauge

        init(_ worker: WorkerName) {
            let labels = [("worker", worker.rawValue)]
            self.worker = worker.rawValue
            rows = Gauge(label: "lamplighter_outbox_rows", dimensions: labels)
            age = Gauge(label: "lamplighter_outbox_age_seconds", dimensions: labels)
        }
    }

    private let environment: Environment
    private let online = Gauge(label: "lamplighter_devices_online")
    private let outboxes = WorkerName.allCases.map { Outbox($0) }

    let name = "gauges"
    let interval: Duration = .seconds(5)

    init(_ environment: Environment) {
        self.environment = environment
    }

    func step() throws -> Bool {
        let now = environment.clock.now
        try environment.store.read { tx in
            online.record(try tx.statuses.onlineCount())
            for outbox in outboxes {
                outbox.rows.record(try tx.outbox.depth(of: outbox.worker))
                let oldest = try tx.outbox.oldest(of: outbox.worker)
                let age = oldest.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
                outbox.age.record(Double(age) / 1000)
            }
        }
        return false
    }
}
