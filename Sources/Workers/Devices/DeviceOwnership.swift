package import Domain
import Storage
import Wire

/// Functions that end a device's ownership period, called by the workers and by operators' tools.
package enum DeviceOwnership {
    /// Ends a device's bindings, commands, invitations and retained statuses, and begins a new ownership period.
    package static func end(
        _ did: DeviceID,
        because reason: UnbindReason,
        by actor: Actor,
        in work: inout UnitOfWork
    ) throws {
        try CommandOutcome.fail(try work.tx.commands.open(did), in: &work)
        let bindings = try Bindings(of: did, by: actor, in: work)
        // Ending an ownership period doesn't depend on a user's rights, so the user id is empty.
        let nobody = UserID(trusted: "")
        let change = try BindingRules.decide(.end, by: nobody, among: bindings.present)
        try bindings.carryOut(change, because: reason, follower: reason, in: &work)
    }

    /// Removes and disconnects a device for an operator, and notifies its users.
    ///
    /// The device can register again as a new device.
    package static func forget(_ did: DeviceID, in work: inout UnitOfWork) throws {
        let operatorActor = Actor(.operator, "lamplighter")
        try end(did, because: .forgotten, by: operatorActor, in: &work)
        try work.tx.devices.forget(did)
        work.effects.publish(OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)])))
    }
}
