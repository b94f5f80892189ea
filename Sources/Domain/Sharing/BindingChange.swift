/// An event that changes a device's bindings in the state machine for roles.
package enum BindingEvent: Sendable, Equatable {
    /// The user binds the device with a proof of possession.
    case bind
    /// The user makes an invitation. Roles change only when another user accepts the invitation.
    case invite
    /// The user accepts an invitation.
    case accept(from: UserID)
    /// The user's binding ends, because the user unbinds, the account is erased or a guest's binding expires.
    case leave
    /// The user removes another user from the device.
    case remove(UserID)
    /// The user transfers the device to another user.
    case transfer(to: UserID)
    /// All bindings end, and so does the device's ownership period.
    case end
}

/// The consequences of a binding event.
package struct BindingChange: Sendable, Equatable {
    /// The effect of a binding event on the device's invitations.
    package enum Invitations: Sendable, Equatable {
        /// If a user's binding ends, the invitations to that user become void. All other invitations stay.
        case stay
        /// All invitations become void.
        case void
        /// Pending invitations become void, and accepted invitations pass to the new owner.
        case pass(to: UserID)
    }

    /// A user's new role.
    package struct RoleChange: Sendable, Equatable {
        /// The user.
        package var uid: UserID
        /// The new role.
        package var role: Binding.Role

        /// Makes a role change.
        package init(_ uid: UserID, _ role: Binding.Role) {
            (self.uid, self.role) = (uid, role)
        }
    }

    /// The role of the acting user's new binding.
    package var joined: Binding.Role?
    /// The users whose bindings end, beginning with the user who leaves.
    package var ended: [UserID] = []
    /// The users whose roles change.
    package var roles: [RoleChange] = []
    /// The effect on the device's invitations.
    package var invitations = Invitations.stay
    /// Whether the change ends the device's ownership period.
    ///
    /// Later users don't see the data of that period.
    package var endsOwnership = false

    /// True if the event has no consequences.
    package var isEmpty: Bool { self == BindingChange() }
}
