import Domain
import Storage
import Synchronization

/// Erases devices that were never bound and not seen for a while.
///
/// Any holder of the product's secret can register devices; each is a row, and a record that the gate holds. A device
/// that was bound once stays, also if it was bound remotely; so does one whose MAC an operator listed, since
/// the list limits their number. A device that is switched on after so long registers again with its product's
/// secret, as at its first run.
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

    /// Looks at a page of devices behind an id and erases those that are due; returns the id for the next page,
    /// empty at the end.
    package func round(after did: String) throws -> String {
        let oldest = oldest
        let (last, overdue) = try environment.store.read { tx in
            try tx.devices.neverBound(after: did, limit: Self.page, notSeenSince: oldest)
        }
        for did in overdue { while try step(did, oldest) {} }
        return last
    }

    /// Runs one transaction of a device's erasure; returns whether more may follow.
    private func step(_ did: DeviceID, _ oldest: Instant) throws -> Bool {
        let limit = environment.limits.sweepStep
        let now = environment.clock.now
        return try environment.store.batch(at: now) { tx in
            // The device may have been bound, or may have connected, since it was read.
            guard try tx.devices.isNeverBound(did, notSeenSince: oldest) else { return false }
            // Later than any time that a device's clock may give.
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
