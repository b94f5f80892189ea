import Domain
import Metrics
import Storage

/// A job that records the number of connected devices, and the size and age of each outbox.
struct StoreGauges: MaintenanceJob {
    private struct Outbox {
        let worker: String
        let rows: Gauge
        let age: Gauge

        init(_ worker: WorkerName, _ metrics: any MetricsFactory) {
            let labels = [("worker", worker.rawValue)]
            self.worker = worker.rawValue
            rows = Gauge(label: "lamplighter_outbox_rows", dimensions: labels, factory: metrics)
            age = Gauge(label: "lamplighter_outbox_age_seconds", dimensions: labels, factory: metrics)
        }

        /// Returns whether a lane (such as `status` or `status.07`) belongs to this worker.
        func owns(_ lane: String) -> Bool { lane == worker || lane.hasPrefix("\(worker).") }
    }

    private let environment: Environment
    private let online: Gauge
    private let outboxes: [Outbox]

    let name = "gauges"

    init(_ environment: Environment, metrics: any MetricsFactory = MetricsSystem.factory) {
        self.environment = environment
        online = Gauge(label: "lamplighter_devices_online", factory: metrics)
        outboxes = WorkerName.allCases.map { Outbox($0, metrics) }
    }

    func step() throws -> Bool {
        let now = environment.clock.now
        try environment.store.read { tx in
            online.record(try tx.statuses.onlineCount())
            let depths = try tx.outbox.depths()
            for outbox in outboxes {
                // The outboxes of all lanes of the worker are counted together.
                let lanes = depths.filter { outbox.owns($0.key) }
                outbox.rows.record(lanes.values.reduce(0, +))
                let oldest = try lanes.keys.compactMap { try tx.outbox.oldest(of: $0) }.min()
                let age = oldest.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
                outbox.age.record(Double(age) / 1000)
            }
        }
        return false
    }

    func rest() {
        online.record(0)
        for outbox in outboxes {
            outbox.rows.record(0)
            outbox.age.record(0)
        }
    }
}
