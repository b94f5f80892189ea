package import Domain
package import Storage
import Synchronization

/// This process's membership in the cluster: its id, slot and permission to work.
package final class Membership: Sendable {
    /// The id of this process, which is unique to this run.
    package let id: String
    /// The slot of this process.
    package let slot: NodeSlot
    private let trustedUntil: Mutex<ContinuousClock.Instant>

    private init(id: String, slot: NodeSlot, from start: ContinuousClock.Instant) {
        self.id = id
        self.slot = slot
        trustedUntil = Mutex(start + ClusterTiming.trust)
    }

    /// The error thrown when all slots are in use.
    package struct NoSlot: Error {}

    /// Joins the processes that share a database, and takes a slot.
    ///
    /// The slot becomes part of every number and id that this process makes.
    ///
    /// `earlier` is the id of a process known to have ended. The lanes and the slot of that process are freed
    /// immediately.
    /// - Throws: `NoSlot`, or an error of the store.
    package static func join(
        _ store: Store,
        name: String,
        version: String,
        inPlaceOf earlier: String?
    ) throws -> Membership {
        guard let id = store.processID else { preconditionFailure("a file is not shared") }
        let start = ContinuousClock.now
        let slot = try store.coordinate { cluster in
            let life = lifetimeMilliseconds
            return try cluster.nodes.claim(id: id, name: name, version: version, milliseconds: life, inPlaceOf: earlier)
        }
        guard let slot else { throw NoSlot() }
        store.take(slot)
        return Membership(id: id, slot: slot, from: start)
    }

    /// Whether the other processes certainly consider this process alive, so that they don't take its lanes.
    package var isTrusted: Bool { trustedUntil.withLock { ContinuousClock.now < $0 } }

    /// Renews this process's lifetime, or returns false if another process has taken the slot of this process.
    package func renew(_ store: Store) throws -> Bool {
        let start = ContinuousClock.now
        let isMember = try store.coordinate { try $0.nodes.renew(id, milliseconds: Self.lifetimeMilliseconds) }
        trustedUntil.withLock { $0 = isMember ? start + ClusterTiming.trust : start }
        return isMember
    }

    /// Announces that the process will stop, so that other processes take its lanes.
    package func retire(_ store: Store) throws {
        try store.coordinate { try $0.nodes.retire(id) }
    }

    /// Leaves the cluster and gives the slot back.
    package func leave(_ store: Store) throws {
        trustedUntil.withLock { $0 = .now }
        try store.coordinate { try $0.nodes.release(id) }
    }

    private static var lifetimeMilliseconds: Int64 { ClusterTiming.lifetime.components.seconds * 1_000 }
}
