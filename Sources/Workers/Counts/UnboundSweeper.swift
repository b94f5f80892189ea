import Domain
import Storage
import Synchronization

/// Erases devices that nobody ever bound and that were not seen for a while (PROTOCOL 2.1).
///
/// Whoever has the product's secret makes devices; each is a row, and a record that the gate holds. One
/// that was bound once stays, whoever left it; so does one whose MAC an operator listed, since of those
/// there are no more than he wants; and one that was bound from afar was bound. A device that is switched
/// on after so long registers again with its product's secret, as at its first run.
package struct UnboundSweeper: Sendable {
    /// Devices that one round looks at, in the order of their ids: a million in three hours, with a
    /// round each five seconds.
    package static let page = 500

    private let environment: Environment

    /// Prepares a sweeper.
    package init(_ environment: Environment) { self.environment = environment }

    private var oldest: Instant {
        let days = Int64(environment.limits.counts.unboundDays)
        return environment.clock.now.adding(seconds: -days * 86_400)
    }

    /// Looks at a page of devices behind an id and erases those whose time is over; gives the id to go on
    /// behind, empty at the end.
    package func round(after did: String) throws -> String {
        let oldest = oldest
        let (last, overdue) = try environment.store.read { tx in
            try tx.devices.neverBound(after: did, limit: Self.page, notSeenSince: oldest)
        }
        for did in overdue { while try step(did, oldest) {} }
        return last
    }

    /// One transaction of a device's erasure; tells whether more may follow.
    private func step(_ did: DeviceID, _ oldest: Instant) throws -> Bool {
        let limit = environment.limits.sweepStep
        let now = environment.clock.now
        return try environment.store.batch(at: now) { tx in
            // Somebody may have bound it, or it may have come, since it was read.
            guard try tx.devices.isNeverBound(did, notSeenSince: oldest) else { return false }
            // Ahead of all that a device's clock may say.
            let end = now.adding(seconds: 2 * Report.aheadMaxSeconds)
            if try tx.retention.prune(did, before: end, limit: limit) { return true }
            let pieces = environment.limits.historyStep
            if try tx.history.prune(before: end, of: did, limit: pieces) == pieces { return true }
            try tx.devices.forget(did)
            environment.quotas.erased()
            return false
        }
    }
}
