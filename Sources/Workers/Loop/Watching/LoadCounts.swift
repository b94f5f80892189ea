import Storage

/// A job that counts this process's new reports for the console's one-day graph.
struct LoadCounts: MaintenanceJob {
    private let environment: Environment
    private var written: Int64 = 0

    let name = "load"
    let interval: Duration = .seconds(10)

    init(_ environment: Environment) { self.environment = environment }

    mutating func step() throws -> Bool {
        let stored = environment.observations.storedReports
        guard stored > written, !environment.disk.isLow else { return false }
        let now = environment.clock.now
        let new = stored - written
        try environment.store.batch(at: now) { tx in try tx.load.add([(at: now, count: new)], of: .reports, at: now) }
        written = stored
        return false
    }
}
