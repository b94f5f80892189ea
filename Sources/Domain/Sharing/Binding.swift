/// The binding of a user to a device.
///
/// The documentation describes these rules (reference: sharing#roles).
package struct Binding: Sendable, Equatable {
    /// A user's role with a device.
    package enum Role: String, Sendable, CaseIterable {
        case special, normal, owner, guest

        /// Whether users with the role may share the device and are notified about its other users.
        package var isPrincipal: Bool { self == .special || self == .owner }
    }

    /// A user's access to a device: to send commands, or only to see the device's status.
    package enum Access: String, Sendable, CaseIterable {
        case control, read
    }

    /// The device.
    package var did: DeviceID
    /// The user.
    package var uid: UserID
    /// The app to which the user belongs.
    package var app: AppID
    /// The user's role.
    package var role: Role
    /// The user's access to the device.
    package var access: Access
    /// Whether the user gets the device's status.
    package var isSubscribed: Bool
    /// The user's own name for the device.
    package var alias: String
    /// The user's own note on the device.
    package var remark: String
    /// The time at which the binding began.
    package var boundAt: Instant
    /// The expiry time of a guest's binding, or nil if the binding doesn't expire.
    package var guestUntil: Instant?
    /// The guest's invitation, or nil for a user who bound the device with a proof of possession.
    package var sharing: SharingID?

    /// Makes the binding of a user to a device.
    package init(
        did: DeviceID,
        uid: UserID,
        app: AppID,
        role: Role,
        access: Access = .control,
        isSubscribed: Bool = true,
        alias: String = "",
        remark: String = "",
        boundAt: Instant,
        guestUntil: Instant? = nil,
        sharing: SharingID? = nil
    ) {
        self.did = did
        self.uid = uid
        self.app = app
        self.role = role
        self.access = access
        self.isSubscribed = isSubscribed
        self.alias = alias
        self.remark = remark
        self.boundAt = boundAt
        self.guestUntil = guestUntil
        self.sharing = sharing
    }

    /// The maximum length of a user's own name for a device, in characters.
    package static let aliasMax = 64
    /// The maximum length of a user's note on a device, in characters.
    package static let remarkMax = 256

    /// Returns whether a guest's binding has expired, even if `DueControl` hasn't ended it yet.
    package func isOver(at now: Instant) -> Bool { guestUntil.map { $0 <= now } ?? false }

    /// Returns why the user may not send a kind of command, or nil if the user may send it.
    package func refusal(of kind: Command.Kind, at now: Instant) -> ErrorCode? {
        if isOver(at: now) { return .notBound }
        if !isSubscribed { return .notSubscribed }
        return kind == .query || access == .control ? nil : .forbidden
    }
}

/// The reason why a binding ended, as published to its user.
package enum UnbindReason: String, Sendable, CaseIterable {
    /// The user ended the binding.
    case unbound
    /// The owner removed the user.
    case removed
    /// The device was reset to its factory state.
    case reset
    /// An operator deleted the device.
    case forgotten
    /// The guest's binding expired.
    case expired
    /// The guest's invitation was revoked, or the owner of the device left.
    case revoked
    /// The user transferred the device to another user.
    case transferred
    /// The user's account was erased.
    case accountCancelled
}
