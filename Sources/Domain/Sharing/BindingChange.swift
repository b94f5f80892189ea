/// A change that a user requests in a device's bindings: an event of the state machine.
package enum BindingEvent: Sendable, Equatable {
    /// The user binds, with a proof of possession.
    case bind
    /// The user makes an invitation: roles change only when it is accepted.
    case invite
    /// The user accepts an invitation.
    case accept(from: UserID)
    /// The user leaves: by unbinding, by the erasure of the account, or at the end of a guest's time.
    case leave
    /// The user removes another user from the device.
    case remove(UserID)
    /// The user transfers the device to another user.
    case transfer(to: UserID)
    /// All bindings end, and the device's ownership period with them.
    case end
}

/// The consequences of an event.
package struct BindingChange: Sendable, Equatable {
    /// The effect on the invitations to the device.
    package enum Invitations: Sendable, Equatable {
        /// They stay, except those to users whose bindings end, which become void.
        case stay
        /// All become void.
        case void
        /// Pending ones become void; accepted ones pass to the new owner.
        case pass(to: UserID)
    }

    /// A user's new role.
    package struct RoleChange: Sendable, Equatable {
        /// The user.
        package var uid: UserID
        /// The role.
        package var role: Binding.Role

        /// Makes a role change.
        package init(_ uid: UserID, _ role: Binding.Role) {
            self.uid = uid
            self.role = role
        }
    }

    /// The role of the acting user's new binding.
    package var joined: Binding.Role?
    /// The users whose bindings end, a leaving user first.
    package var ended: [UserID] = []
    /// The users whose roles change.
    package var roles: [RoleChange] = []
    /// The effect on invitations.
    package var invitations = Invitations.stay
    /// Whether the device's ownership period is over, so that later users see nothing of it.
    package var endsOwnership = false

    /// Whether nothing follows.
    package var isEmpty: Bool { self == BindingChange() }
}
