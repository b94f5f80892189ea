import Domain
import Storage

/// A job that deletes rows of one kind when they no longer need to be kept.
struct ExpiredRows: MaintenanceJob {
    private let environment: Environment
    private let rows: ExpiringRows
    /// The seconds for which rows are kept after their end; nil to keep them forever.
    private let keptSeconds: Int64?
    let interval: Duration = .seconds(5)

    /// Makes a job for each kind of row that is deleted some time after its end.
    static func all(_ environment: Environment) -> [any MaintenanceJob] {
        let limits = environment.limits
        let kinds: [(ExpiringRows, Int64?)] = [
            (.inbox, limits.inboxSeconds),
            (.request, limits.requestSeconds),
            (.attempt, 0),
            (.code, 0),
            (.ticket, 0),
            (.link, limits.expiredLinkSeconds),
            (.operatorLink, 0),
            (.operatorSession, OperatorSignIn.lifeSeconds),
            (.operatorToken, 0),
            (.scheduleRun, limits.scheduleRunSeconds),
            (.session, limits.endedSessionSeconds),
            (.apiKey, limits.endedSessionSeconds),
            (.notice, limits.inboxSeconds),
            (.logoutCode, 0),
            (.messageRecord, limits.messageRecordSeconds),
            (.endedInvitation, limits.endedInvitationSeconds),
            (.audit, limits.auditDays == 0 ? nil : Int64(limits.auditDays) * 86_400),
        ]
        return kinds.map { ExpiredRows(environment, $0, keptSeconds: $1) }
    }

    init(_ environment: Environment, _ rows: ExpiringRows, keptSeconds: Int64?) {
        self.environment = environment
        self.rows = rows
        self.keptSeconds = keptSeconds
    }

    var name: String { rows.kind }

    func step() throws -> Bool {
        guard let keptSeconds else { return false }
        let now = environment.clock.now
        let step = environment.limits.sweepStep
        let kept = kept(keptSeconds, at: now)
        return try environment.store.batch(at: now) { tx in
            try tx.retention.delete(rows, before: kept.lowerBound, after: kept.upperBound, limit: step)
        } == step
    }

    /// Returns the range of times of the rows that are kept.
    ///
    /// For requests, the range takes steps of the clock into account, so that a repeated request doesn't take effect
    /// twice.
    private func kept(_ seconds: Int64, at now: Instant) -> ClosedRange<Instant> {
        guard rows.kind == ExpiringRows.request.kind else {
            return now.adding(seconds: -seconds)...now.adding(seconds: seconds)
        }
        let moments = environment.clockHistory.moments(ofLast: seconds, by: environment.clock)
        return moments.lowerBound...moments.upperBound.adding(seconds: seconds)
    }

    func backlog(limit: Int) throws -> Int64? {
        guard let keptSeconds else { return 0 }
        let oldest = kept(keptSeconds, at: environment.clock.now).lowerBound
        return try environment.store.read { tx in try tx.retention.count(rows, before: oldest, limit: limit) }
    }
}

/// A job that counts the rows of one kind that have expired and that a worker has not ended yet.
struct RowsEndedByWorkers: MaintenanceJob {
    private let environment: Environment
    private let rows: ExpiringRows
    let interval: Duration = .seconds(5)

    /// Makes a job for each kind of rows that workers end.
    static func all(_ environment: Environment) -> [any MaintenanceJob] {
        [.command, .invitation, .guest].map { RowsEndedByWorkers(environment, $0) }
    }

    init(_ environment: Environment, _ rows: ExpiringRows) {
        self.environment = environment
        self.rows = rows
    }

    var name: String { rows.kind }

    func step() -> Bool { false }

    func backlog(limit: Int) throws -> Int64? {
        try environment.store.read { tx in try tx.retention.count(rows, before: environment.clock.now, limit: limit) }
    }
}
