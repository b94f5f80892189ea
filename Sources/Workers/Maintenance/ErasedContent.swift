import Storage

/// A job that removes erased accounts' remains from the database's files.
struct ErasedContent: MaintenanceJob {
    private let environment: Environment
    /// The minimum number of seconds between two removals, since each removal blocks all writers.
    private static let vacuumSeconds: Int64 = 60
    private var notBefore: ContinuousClock.Instant
    let name = "erasedContent"
    let interval: Duration = .seconds(1)

    init(_ environment: Environment) {
        self.environment = environment
        notBefore = environment.clock.steady
    }

    mutating func step() throws -> Bool {
        guard environment.clock.steady >= notBefore, try mustVacuum(), try environment.store.vacuumErased() else {
            return false
        }
        notBefore = environment.clock.steady + .seconds(Self.vacuumSeconds)
        return false
    }

    private func mustVacuum() throws -> Bool {
        let now = environment.clock.now
        return try environment.store.read { tx in
            try tx.meta.pendingVacuum() != nil && tx.cancellations.due(at: now, limit: 1).isEmpty
        }
    }
}
