package import Domain
package import Storage
package import Wire

/// Ends a device's ownership period, for all workers and commands.
package enum DeviceOwnership {
    /// Ends all bindings of a device, fails its open commands, voids its invitations, clears what the
    /// broker keeps for its users, tells them, and begins a new ownership period.
    package static func end(
        _ did: DeviceID,
        _ reason: UnbindReason,
        by actor: Actor,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        try CommandOutcome.fail(
            try tx.commands.open(did),
            topics: topics,
            in: tx,
            effects: &effects
        )
        let bindings = try Bindings(of: did, by: actor, topics, in: tx)
        // The rights of an acting user don't matter here.
        let nobody = UserID(trusted: "")
        let change = try BindingRules.decide(.end, by: nobody, among: bindings.present)
        try bindings.carryOut(change, reason, follower: reason, effects: &effects)
    }

    /// Removes a device for good, on behalf of an operator: tells its users and closes its connection; it may
    /// register again as a new one.
    package static func forget(
        _ did: DeviceID,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let operatorActor = Actor(.operator, "lamplighter")
        try end(did, .forgotten, by: operatorActor, topics, in: tx, effects: &effects)
        try tx.devices.forget(did)
        effects.publish(
            OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)]))
        )
    }
}
