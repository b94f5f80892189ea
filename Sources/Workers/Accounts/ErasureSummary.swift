package import Domain
package import Storage

/// What goes with an account when it is erased, for the operator who is about to do it.
package struct ErasureSummary: Sendable, Equatable {
    /// A device that the user is bound to, and what becomes of it.
    package struct Device: Sendable, Equatable {
        /// The device.
        package var did: DeviceID
        /// The operators' name for it; nil where they gave none.
        package var name: String?
        /// The user's role.
        package var role: Binding.Role
        /// Other users who are no longer bound to it: guests of an owner.
        package var losing: [UserID]
        /// The user who becomes its special user.
        package var heir: UserID?
        /// Whether it is left with no user at all.
        package var isLeftAlone: Bool
        /// Schedules that end: the user's own, and those of users who lose the device.
        package var schedules: Int
    }

    /// The user.
    package let uid: UserID
    /// The user's devices, in the order of binding.
    package let devices: [Device]
    /// Sessions that end.
    package let sessions: Int
    /// Homes that are deleted.
    package let homes: Int
    /// Identities at providers that are forgotten.
    package let identities: Int

    /// Looks at what there is; changes nothing.
    package init(_ user: User, in tx: Transaction) throws {
        uid = user.uid
        sessions = try tx.sessions.live(of: user.uid).count
        homes = try tx.homes.all(of: user.uid).count
        identities = user.providers.count
        let dids = try tx.cancellations.devices(of: user.uid, limit: .max)
        let names = try tx.devices.names(of: dids)
        devices = try dids.compactMap { did in
            let present = try tx.bindings.all(of: did)
            guard let own = present.first(where: { $0.uid == user.uid }) else { return nil }
            let change = try BindingRules.decide(.leave, by: user.uid, among: present)
            return Device(
                did: did,
                name: names[did],
                role: own.role,
                losing: change.ended.filter { $0 != user.uid },
                heir: change.roles.first { $0.role == .special }?.uid,
                isLeftAlone: change.endsOwnership,
                schedules: try tx.schedules.all(ofDevice: did)
                    .count { change.ended.contains($0.creator) }
            )
        }
    }

    /// Schedules that end, of all devices.
    package var schedules: Int { devices.reduce(0) { $0 + $1.schedules } }
}
