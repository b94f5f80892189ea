package import Domain
package import Storage

/// A summary of the data that an account's erasure removes, for the operator who confirms it.
package struct ErasureSummary: Sendable, Equatable {
    /// A device that the user is bound to, and the erasure's effects on it.
    package struct Device: Sendable, Equatable {
        /// The id of the device.
        package var did: DeviceID
        /// The operators' name for the device, or nil.
        package var name: String?
        /// The user's role.
        package var role: Binding.Role
        /// The other users who lose the device: the guests of an erased owner.
        package var losing: [UserID]
        /// The user who becomes the device's special user, or nil.
        package var heir: UserID?
        /// Whether the device has no users after the erasure.
        package var isLeftAlone: Bool
        /// How many schedules end: those of the erased user and of users losing the device.
        package var schedules: Int
    }

    /// The id of the user to erase.
    package let uid: UserID
    /// The user's devices, in the order of binding.
    package let devices: [Device]
    /// The number of sessions that end.
    package let sessions: Int
    /// The number of homes that are deleted.
    package let homes: Int
    /// The number of provider identities that are deleted.
    package let identities: Int

    /// Collects the summary of a user's erasure without changing any data.
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

    /// The total number of schedules that end, on all devices.
    package var schedules: Int { devices.reduce(0) { $0 + $1.schedules } }
}
