import Domain
import Storage

/// A job that deletes rows of one kind when they no longer need to be kept.
struct ExpiredRows: MaintenanceJob {
    private let environment: Environment
    private let rows: ExpiringRows
    /// The seconds for which rows are kept after their end, or nil to keep the rows forever.
    private let keptSeconds: Int64?
    /// Whether workers handle expired rows, so that the job only counts unhandled ones.
    private let isLeftToWorkers: Bool

    /// Makes a job for each kind of row that expires.
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
            (.oauthToken, 86_400),
            (.notice, limits.inboxSeconds),
            (.logoutCode, 0),
            (.messageRecord, limits.messageRecordSeconds),
            (.notification, limits.notificationDays * 86_400),
            (.hiddenNotification, limits.notificationReasonDays * 86_400),
            (.endedInvitation, limits.endedInvitationSeconds),
            (.audit, limits.auditDays == 0 ? nil : Int64(limits.auditDays) * 86_400),
        ]
        let endedByWorkers: [ExpiringRows] = [.command, .invitation, .guest]
        return kinds.map { ExpiredRows(environment: environment, rows: $0, keptSeconds: $1, isLeftToWorkers: false) }
            + endedByWorkers.map {
                ExpiredRows(environment: environment, rows: $0, keptSeconds: 0, isLeftToWorkers: true)
            }
    }

    var name: String { rows.kind }

    func step() throws -> Bool {
        guard let keptSeconds, !isLeftToWorkers else { return false }
        let now = environment.clock.now
        let step = environment.limits.sweepStep
        let kept = kept(keptSeconds, at: now)
        return try environment.store.batch(at: now) { tx in
            try tx.retention.delete(rows, before: kept.lowerBound, after: kept.upperBound, limit: step)
        } == step
    }

    /// Returns the range in which a row's time must lie for the row to be kept.
    ///
    /// If the clock has been set to another time, the range for requests is larger. Otherwise, a repeated request could
    /// take effect twice.
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
