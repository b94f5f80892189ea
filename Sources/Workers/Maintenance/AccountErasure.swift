import Domain
import Storage

/// A job that erases cancelled accounts and long-idle anonymous users.
struct AccountErasure: MaintenanceJob {
    private let environment: Environment
    /// The maximum number of accounts of each kind in one step.
    private static let accountsStep = 20
    let name = ExpiringRows.cancellation.kind

    init(_ environment: Environment) { self.environment = environment }

    func step() throws -> Bool {
        let now = environment.clock.now
        let since = now.adding(seconds: -environment.limits.idleAnonymousSeconds)
        let uids = try environment.store.read { tx in
            try tx.cancellations.due(at: now, limit: Self.accountsStep).map(\.uid)
                + tx.cancellations.idleAnonymous(since: since, limit: Self.accountsStep)
        }
        var isMore = false
        for uid in uids { isMore = try erase(uid, idleSince: since) || isMore }
        return isMore
    }

    private func erase(_ uid: UserID, idleSince since: Instant) throws -> Bool {
        let isMore = try environment.work(publishedBy: .session) { work -> Bool? in
            try work.tx.lock(users: [uid])
            // The user may have logged in since this job read the user's id.
            let isDue = try work.tx.cancellations.find(uid).map { $0.deletesAt <= work.now }
            let isWanted = try isDue ?? work.tx.cancellations.isIdle(uid, since: since)
            guard isWanted else { return nil }
            return try Cancellation.step(uid, limit: work.limits.sweepStep, in: &work)
        }
        guard isMore == false else { return isMore ?? false }
        try Cancellation.finish(uid, in: environment.store) { body in
            try environment.work(publishedBy: .session, body)
        }
        return false
    }

    func backlog(limit: Int) throws -> Int64? {
        try environment.store.read { tx in
            try tx.retention.count(.cancellation, before: environment.clock.now, limit: limit)
        }
    }
}
