import Metrics
import Storage

/// A job that records the size of a database on its server's disk.
struct DatabaseSize: MaintenanceJob {
    private let environment: Environment
    private let bytes = Gauge(label: "lamplighter_database_bytes")

    let name = "databaseSize"
    let interval: Duration = .seconds(60)

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        bytes.record(try environment.store.fileSize().bytes)
        return false
    }
}
