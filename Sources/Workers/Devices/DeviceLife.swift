package import Domain
package import Storage
package import Wire

/// Ends a device's life with its users, for all workers and commands.
package enum DeviceLife {
    /// Ends all bindings of a device, fails its open commands, voids its invitations, clears what the
    /// broker keeps for its users, tells them, and begins a new generation.
    package static func end(
        _ did: DeviceID,
        _ reason: UnbindReason,
        by actor: Actor,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        try CommandOutcome.fail(
            try tx.commands.open(did),
            topics: topics,
            in: tx,
            owed: &owed
        )
        let bonds = try Bonds(of: did, by: actor, topics, in: tx)
        // The rights of an acting user don't matter here.
        let nobody = UserID(trusted: "")
        let change = try BondRules.decide(.end, by: nobody, among: bonds.present)
        try bonds.carryOut(change, reason, follower: reason, owed: &owed)
    }

    /// Removes a device for good, on behalf of an operator: tells its users and closes its connection; it may
    /// register again as a new one.
    package static func forget(
        _ did: DeviceID,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let operatorActor = Actor(.operator, "lamplighter")
        try end(did, .forgotten, by: operatorActor, topics, in: tx, owed: &owed)
        try tx.devices.forget(did)
        owed.publish(
            OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)]))
        )
    }
}
