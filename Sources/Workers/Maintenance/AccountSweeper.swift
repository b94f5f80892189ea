import Domain
import Metrics
import Storage
import Synchronization

/// Deletes expired sessions and codes, and erases cancelled accounts.
final class AccountSweeper: Sendable {
    private let environment: Environment
    private static let kinds = [
        "session", "notice", "logoutCode", "cancellation", "audit", "attempt", "code", "request",
        "invitation", "guest", "endedInvitation",
    ]
    /// The number of accounts that one round advances by a step.
    private static let accountsStep = 20
    private static let backlogMax = 100_000
    private let backlog: [String: Gauge]
    /// The least time between two scrubs of the store, which block all writers, in seconds.
    private static let vacuumSeconds: Int64 = 60
    private let vacuumedAt = Mutex(Instant(milliseconds: 0))

    init(_ environment: Environment) {
        self.environment = environment
        backlog = Dictionary(
            uniqueKeysWithValues: Self.kinds.map { kind in
                (kind, Gauge(label: "lamplighter_sweep_backlog_rows", dimensions: [("kind", kind)]))
            }
        )
    }

    /// Runs one round, each step a transaction of its own; returns whether more work is waiting.
    func sweep() throws -> Bool {
        let limits = environment.limits
        let step = limits.sweepStep
        let now = environment.clock.now
        let rows = try environment.store.batch(at: now) { tx in
            [
                try tx.sessions.prune(
                    before: now.adding(seconds: -limits.endedSessionSeconds),
                    limit: step
                ),
                try tx.sessions.pruneNotices(
                    before: now.adding(seconds: -limits.inboxSeconds),
                    limit: step
                ),
                try tx.logoutCodes.prune(limit: step),
                try tx.sharings.prune(
                    before: now.adding(seconds: -limits.endedInvitationSeconds),
                    limit: step
                ),
                try limits.auditDays == 0
                    ? 0
                    : tx.audit.prune(
                        before: now.adding(seconds: -Int64(limits.auditDays) * 86_400),
                        limit: step
                    ),
            ]
        }
        let isErasing = try erase(at: now)
        if !isErasing { try vacuumErased(at: now) }
        return isErasing || rows.contains(step)
    }

    private func vacuumErased(at now: Instant) throws {
        let isTime = vacuumedAt.withLock { last in
            last.adding(seconds: Self.vacuumSeconds) <= now || now < last
        }
        guard isTime, try environment.store.mustVacuumErased, try environment.store.vacuumErased()
        else { return }
        vacuumedAt.withLock { $0 = now }
    }

    /// Advances the erasure of each due account by a step; returns whether one needs more.
    private func erase(at now: Instant) throws -> Bool {
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
        try environment.work(publishedBy: .session) { work in
            // A login may have come since it was read.
            let isDue = try work.tx.cancellations.find(uid).map { $0.deletesAt <= work.now }
            let isWanted = try isDue ?? work.tx.cancellations.isIdle(uid, since: since)
            guard isWanted else { return false }
            return try Cancellation.step(uid, limit: work.limits.sweepStep, in: &work)
        }
    }

    /// Records the number of waiting rows.
    func measure() throws {
        let limits = environment.limits
        let counts = try environment.store.read { tx in
            try tx.retention.backlog(
                at: environment.clock.now,
                endedSessionSeconds: limits.endedSessionSeconds,
                noticeSeconds: limits.inboxSeconds,
                endedInvitationSeconds: limits.endedInvitationSeconds,
                requestSeconds: limits.requestSeconds,
                auditDays: limits.auditDays,
                limit: Self.backlogMax
            )
        }
        for (kind, count) in counts { backlog[kind]?.record(count) }
    }
}
