/// The bond between a user and a device.
package struct Binding: Sendable, Equatable {
    /// What a user may do with a device (PROTOCOL 3.3).
    package enum Role: String, Sendable, CaseIterable {
        case special, normal, owner, guest

        /// Whether the role hears of the device's other users.
        package var isPrincipal: Bool { self == .special || self == .owner }
    }

    /// Whether a user may command the device or only watch it.
    package enum Access: String, Sendable {
        case control, read
    }

    /// The device.
    package var did: DeviceID
    /// The user.
    package var uid: UserID
    /// The app that the user belongs to.
    package var app: AppID
    /// What the user may do.
    package var role: Role
    /// Whether the user may command the device.
    package var access: Access
    /// Whether the user gets the device's status.
    package var isSubscribed: Bool
    /// The user's own name for the device.
    package var alias: String
    /// The user's own note on the device.
    package var remark: String
    /// Since when.
    package var boundAt: Instant

    /// Binds a user to a device.
    package init(
        did: DeviceID,
        uid: UserID,
        app: AppID,
        role: Role,
        access: Access = .control,
        isSubscribed: Bool = true,
        alias: String = "",
        remark: String = "",
        boundAt: Instant
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
    }
}

/// Who is what to a device after somebody comes or goes.
package enum BindingRules {
    /// How many wrong passcodes a device or a user has in `triesWindowSeconds`.
    package static let triesMax = 5
    /// The window in which wrong passcodes count, in seconds.
    package static let triesWindowSeconds: Int64 = 900

    /// What becomes of a wish to bind with the right passcode.
    package enum Decision: Sendable, Equatable {
        case bind(Binding.Role)
        case isBoundAlready
        case refuse(Rejection)
    }

    /// Decides about a wish to bind, given those who are bound.
    package static func bind(_ uid: UserID, among present: [Binding]) -> Decision {
        if present.contains(where: { $0.uid == uid }) { return .isBoundAlready }
        if present.contains(where: { $0.role == .owner }) {
            return .refuse(
                Rejection(.forbidden, "The device has an owner, who alone lets others in.")
            )
        }
        return .bind(present.isEmpty ? .special : .normal)
    }

    /// What follows when a user leaves: who goes too, and who takes over.
    package struct Leaving: Sendable, Equatable {
        /// Everybody whose binding ends, the leaving user first.
        package var ended: [UserID]
        /// Who becomes special.
        package var promoted: UserID?
    }

    /// Decides what follows when a user leaves; nil when the user isn't bound.
    package static func leave(_ uid: UserID, among present: [Binding]) -> Leaving? {
        guard let leaving = present.first(where: { $0.uid == uid }) else { return nil }
        let others = present.filter { $0.uid != uid }
        if leaving.role == .owner {
            return Leaving(
                ended: [uid] + others.filter { $0.role == .guest }.map(\.uid),
                promoted: nil
            )
        }
        guard leaving.role == .special else { return Leaving(ended: [uid], promoted: nil) }
        let heir = others.filter { $0.role == .normal }
            .min { ($0.boundAt, $0.uid) < ($1.boundAt, $1.uid) }
        return Leaving(ended: [uid], promoted: heir?.uid)
    }
}
