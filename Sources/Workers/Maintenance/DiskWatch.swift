import Domain
import Logging
import Metrics
import Storage

/// A job that checks the disk ten times a second and reports each change.
struct DiskWatch: MaintenanceJob {
    private let environment: Environment
    private let logger: Logger
    private let free = Gauge(label: "lamplighter_disk_free_bytes")
    private let low = Gauge(label: "lamplighter_disk_low")

    let name = "disk"
    let interval: Duration = .milliseconds(100)

    init(_ environment: Environment, _ logger: Logger) {
        self.environment = environment
        self.logger = logger
    }

    func step() -> Bool {
        if let room = environment.disk.room { free.record(room.free) }
        switch environment.disk.look() {
        case nil: break
        case .low(let words):
            low.record(1)
            environment.health.diskIsLow(words)
            logger.warning("There is too little space: \(words)")
        case .well:
            low.record(0)
            environment.health.diskIsLow(nil)
            logger.notice("The disk has space again")
            // Workers held back work while the disk was low on space. The job wakes them, so that they continue
            // immediately.
            for name in WorkerName.allCases { environment.wakeups.wake(name) }
        }
        return false
    }
}
