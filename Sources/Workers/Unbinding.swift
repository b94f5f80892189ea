package import Domain
import JSON
package import Storage
package import Wire

/// Ends one user's bond with a device, with all that follows from it (PROTOCOL 3.3).
package enum Unbinding {
    /// Ends the bond: a special's role passes on, an owner's leaving removes the guests, commands that
    /// wait are cancelled, kept statuses are cleared, and everybody concerned is told.
    ///
    /// False when the user isn't bound.
    package static func leave(
        _ did: DeviceID,
        _ uid: UserID,
        reason: String,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws -> Bool {
        let present = try tx.bindings.all(of: did)
        guard let leaving = BindingRules.leave(uid, among: present) else { return false }
        let left = present.filter { !leaving.ended.contains($0.uid) }
        // Their schedules go with them.
        let losesSchedules = try tx.schedules.all(of: did)
            .contains { leaving.ended.contains($0.creator) }
        try tx.bindings.delete(did, leaving.ended)
        try tx.refreshes.add(leaving.ended.map { Refresh(did: did, uid: $0) })
        for gone in leaving.ended {
            let open = try tx.commands.open(did, by: gone)
            try CommandOutcome.fail(
                open.filter { $0.state == .queued },
                topics: topics,
                in: tx,
                owed: &owed
            )
        }
        func push(
            _ type: StaticString,
            to uids: [UserID],
            _ more: [(String, JSONValue?)] = []
        ) {
            for uid in uids {
                let payload = BindingCodec.push(type, did, more)
                owed.publish(OutboundMessage(topics.user(uid, "device"), payload))
            }
        }
        push("unbound", to: leaving.ended, [("reason", .string(reason))])
        if let heir = leaving.promoted {
            try tx.bindings.setRole(did, heir, .special)
            push("roleChanged", to: [heir], [("role", "special")])
        }
        let principals = left.filter { $0.role.isPrincipal || $0.uid == leaving.promoted }
        push("usersChanged", to: principals.map(\.uid))
        if losesSchedules { try ScheduleNews.push(did, nil, topics, in: tx, owed: &owed) }
        if left.isEmpty { try tx.devices.beginGeneration(did) }
        owed.wake(.status)
        return true
    }
}
