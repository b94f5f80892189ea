package import Domain
package import Storage
import Synchronization

/// This process among those that share the database: its id, its slot, and whether it may work now.
package final class Membership: Sendable {
    /// What no other run of a process is called.
    package let id: String
    /// The slot.
    package let slot: NodeSlot
    private let trustedUntil: Mutex<ContinuousClock.Instant>

    private init(id: String, slot: NodeSlot, from start: ContinuousClock.Instant) {
        self.id = id
        self.slot = slot
        trustedUntil = Mutex(start + ClusterTiming.trust)
    }

    /// All slots are in use.
    package struct NoSlot: Error {}

    /// Joins the processes of a database: takes a slot, by which the store numbers what it writes from now on.
    ///
    /// The store is a database that several share. `earlier` is a process that is known to be gone: what it held is free
    /// at once, and its slot too.
    /// - Throws: `NoSlot`, or what the store throws.
    package static func join(
        _ store: Store,
        name: String,
        version: String,
        inPlaceOf earlier: String?
    ) throws -> Membership {
        guard let id = store.processID else { preconditionFailure("a file is not shared") }
        let start = ContinuousClock.now
        let slot = try store.coordinate { cluster in
            try cluster.nodes.claim(
                id: id,
                name: name,
                version: version,
                milliseconds: lifetimeMilliseconds,
                inPlaceOf: earlier
            )
        }
        guard let slot else { throw NoSlot() }
        store.take(slot)
        return Membership(id: id, slot: slot, from: start)
    }

    /// Whether the others still take this process for alive, so that its lanes are its own.
    package var isTrusted: Bool { trustedUntil.withLock { ContinuousClock.now < $0 } }

    /// Says that the process is alive; returns false where its slot is another's by now.
    package func renew(_ store: Store) throws -> Bool {
        let start = ContinuousClock.now
        let isMember = try store.coordinate {
            try $0.nodes.renew(id, milliseconds: Self.lifetimeMilliseconds)
        }
        trustedUntil.withLock { $0 = isMember ? start + ClusterTiming.trust : start }
        return isMember
    }

    /// Has the others share out among themselves what this process holds.
    package func retire(_ store: Store) throws {
        try store.coordinate { try $0.nodes.retire(id) }
    }

    /// Leaves the others.
    package func leave(_ store: Store) throws {
        trustedUntil.withLock { $0 = .now }
        try store.coordinate { try $0.nodes.release(id) }
    }

    private static var lifetimeMilliseconds: Int64 {
        ClusterTiming.lifetime.components.seconds * 1_000
    }
}
