import Storage

/// A job that appends zeros to the write-ahead log's file, so that later commits don't have to extend the file.
struct LogGrowth: MaintenanceJob {
    private let environment: Environment
    private var rest = DueBackoff()

    let name = "logGrowth"
    let interval: Duration = .milliseconds(100)
    let pause: Duration = .milliseconds(20)

    init(_ environment: Environment) { self.environment = environment }

    /// Extends the file by one piece, and pauses after a failure.
    mutating func step() -> Bool {
        guard rest.isOver(at: environment.clock.now) else { return false }
        do {
            let hasGrown = try environment.store.lengthenLog()
            rest = DueBackoff()
            return hasGrown
        } catch {
            _ = rest.begin(at: environment.clock.now)
            return false
        }
    }
}
