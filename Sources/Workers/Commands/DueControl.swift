import Batching
import Domain
import Storage

/// The control worker's timed work: ending expired items and sending queued commands.
struct DueControl {
    private var commands: [Command]
    private var invitations: [Sharing]
    private var guests: [Binding]
    private var dispatches: [DispatchRequest]

    private var devices: Set<DeviceID> {
        Set(commands.map(\.did) + invitations.map(\.did))
            .union(guests.map(\.did) + dispatches.map(\.did))
    }

    /// Finds a limited number of due items, and locks their devices in id order.
    ///
    /// Each lane sends its own devices' queued commands. Only the first lane ends expired items, for all devices.
    init(in tx: Transaction, _ limits: Limits, of shards: Shards) throws {
        try self.init(reading: tx, limits, of: shards)
        let locked = devices
        guard try tx.lock(devices: Array(locked)) else { return }
        // While the devices are locked, the items are read again. The next run handles new items of other devices.
        try self.init(reading: tx, limits, of: shards)
        commands.removeAll { !locked.contains($0.did) }
        invitations.removeAll { !locked.contains($0.did) }
        guests.removeAll { !locked.contains($0.did) }
        dispatches.removeAll { !locked.contains($0.did) }
    }

    private init(reading tx: Transaction, _ limits: Limits, of shards: Shards) throws {
        dispatches = try tx.commands.dueDispatches(limit: limits.dispatchPage, of: shards)
        guard shards.lane == 0 else {
            (commands, invitations, guests) = ([], [], [])
            return
        }
        commands = try tx.commands.overdue(limit: limits.sweepStep)
        invitations = try tx.sharings.overdue(limit: limits.bindingStep)
        guests = try tx.bindings.overdueGuests(limit: limits.bindingStep)
    }

    /// Ends the expired items that were found, and sends the queued commands.
    func carryOut(in work: inout UnitOfWork) throws {
        try CommandOutcome.expire(commands, in: &work)
        try BindingExpiry.end(invitations, in: &work)
        try BindingExpiry.end(guests, in: &work)
        try work.tx.commands.removeDispatches(dispatches)
        for dispatch in dispatches { try CommandDispatcher.sendQueued(dispatch, in: &work) }
    }
}
