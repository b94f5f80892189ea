package import Domain
import JSON
package import Storage
package import Wire

/// Ends the life that a device had with its users, whoever asked for it.
package enum DeviceLife {
    /// Ends all bindings of a device, fails its open commands, clears what the broker keeps for its
    /// users, tells them, and begins a new generation.
    package static func end(
        _ did: DeviceID,
        bound: [Binding],
        reason: String,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        try tx.bindings.delete(did, bound.map(\.uid))
        try tx.refreshes.add(bound.map { Refresh(did: did, uid: $0.uid) })
        try CommandOutcome.fail(
            try tx.commands.open(did),
            topics: topics,
            in: tx,
            owed: &owed
        )
        for binding in bound {
            owed.publish(
                OutboundMessage(
                    topics.user(binding.uid, "device"),
                    BindingCodec.push("unbound", did, [("reason", .string(reason))])
                )
            )
        }
        try tx.devices.beginGeneration(did)
        owed.wake(.status)
    }

    /// Removes a device for good, at an operator's word: its users are told, its connection is
    /// closed, and it may register again as a new one.
    package static func forget(
        _ did: DeviceID,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        try end(
            did,
            bound: try tx.bindings.all(of: did),
            reason: "forgotten",
            topics,
            in: tx,
            owed: &owed
        )
        try tx.devices.forget(did)
        owed.publish(
            OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)]))
        )
    }
}
