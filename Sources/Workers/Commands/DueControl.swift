import Batching
import Domain
import Storage

/// What the control worker does without a message: ends what is past its time, and sends commands that wait.
///
/// All of its devices are locked at once, in the order of their ids, before anything is changed.
struct DueControl {
    private var commands: [Command]
    private var invitations: [Sharing]
    private var guests: [Binding]
    private var dispatches: [DispatchRequest]

    private var devices: Set<DeviceID> {
        Set(commands.map(\.did) + invitations.map(\.did))
            .union(guests.map(\.did) + dispatches.map(\.did))
    }

    /// Looks for a limited number of each, the earliest first, and locks their devices.
    ///
    /// Of several lanes each sends what waits for its devices, and the first ends what is past its time.
    init(in tx: Transaction, _ limits: Limits, of shards: Shards) throws {
        try self.init(reading: tx, limits, of: shards)
        let locked = devices
        guard try tx.lock(devices: Array(locked)) else { return }
        // Ends only what is still past its time; what is so since a moment ago comes next.
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

    /// Carries it out.
    func carryOut(in work: inout UnitOfWork) throws {
        try CommandOutcome.expire(commands, in: &work)
        try BindingExpiry.end(invitations, in: &work)
        try BindingExpiry.end(guests, in: &work)
        try work.tx.commands.removeDispatches(dispatches)
        for dispatch in dispatches { try CommandDispatcher.sendQueued(dispatch, in: &work) }
    }
}
