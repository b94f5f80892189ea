import Domain
import Metrics
import Storage

/// A job that counts sessions, and devices by product and state.
///
/// Counting devices and sessions reads a whole index. Therefore, this job runs less often than `StoreGauges`.
struct StoreCounts: MaintenanceJob {
    private struct Key: Hashable {
        var product: String
        var state: String
    }

    private let environment: Environment
    private let metrics: any MetricsFactory
    private let sessions: Gauge
    private var devices: [Key: Gauge] = [:]

    let name = "counts"
    let interval: Duration = .seconds(30)

    /// The number of products that are counted separately, namely the products with the most devices.
    static let productsMax = 100
    /// The name under which the devices of all other products are counted.
    private static let others = "other"

    init(
        _ environment: Environment,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.environment = environment
        self.metrics = metrics
        sessions = Gauge(label: "lamplighter_sessions", factory: metrics)
    }

    mutating func step() throws -> Bool {
        let counts = try environment.store.read { tx in
            (sessions: try tx.sessions.liveCount(), products: try tx.statuses.countsByProduct())
        }
        sessions.record(counts.sessions)
        show(counts.products)
        return false
    }

    /// Sets the gauges that show how many devices there are.
    mutating func show(_ products: [ProductCount]) {
        let sorted = products.sorted { ($1.total, $0.product) < ($0.total, $1.product) }
        var values: [Key: Int64] = [:]
        for (place, count) in sorted.enumerated() {
            let product = place < Self.productsMax ? count.product.text : Self.others
            values[Key(product: product, state: "online"), default: 0] += count.online
            let offline = count.total - count.online
            values[Key(product: product, state: "offline"), default: 0] += offline
        }
        // The product has been removed, or is no longer among those with the most devices. In the second case, the
        // product's devices are now counted as `other`.
        for (key, gauge) in devices where values[key] == nil {
            gauge.destroy()
            devices[key] = nil
        }
        for (key, value) in values {
            let labels = [("product", key.product), ("state", key.state)]
            let gauge = devices[key] ?? Gauge(label: "lamplighter_devices", dimensions: labels, factory: metrics)
            devices[key] = gauge
            gauge.record(value)
        }
    }
}
