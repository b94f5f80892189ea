/// A user's relation to a device, as a state of the state machine for roles.
///
/// The documentation describes these rules (reference: sharing#binding).
package enum CallerRole: String, Sendable, CaseIterable {
    /// The user isn't bound to the device, and the device has no bindings.
    case strangerToFree
    /// The user isn't bound to the device, which has users but no owner.
    case strangerToShared
    /// The user isn't bound to the device, which has an owner.
    case strangerToOwned
    case special, normal, owner, guest

    /// Derives a user's relation from a device's bindings.
    package init(of uid: UserID, among present: [Binding]) {
        if let role = present.first(where: { $0.uid == uid })?.role {
            self =
                switch role {
                case .special: .special
                case .normal: .normal
                case .owner: .owner
                case .guest: .guest
                }
        } else if present.isEmpty {
            self = .strangerToFree
        } else {
            self = present.contains { $0.role == .owner } ? .strangerToOwned : .strangerToShared
        }
    }
}
