/// Where somebody stands with a device: the states of the one machine of roles (PROTOCOL 3.3 and 3.4).
package enum Standing: String, Sendable, CaseIterable {
    /// A stranger to a device that nobody is bound to.
    case strangerToFree
    /// A stranger to a device that others are bound to, none of whom owns it.
    case strangerToShared
    /// A stranger to a device with an owner.
    case strangerToOwned
    case special, normal, owner, guest

    /// Finds out where a user stands.
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

/// What somebody does to the bonds of a device: the events of the machine.
package enum BondEvent: Sendable, Equatable {
    /// He binds, with a proof of possession.
    case bind
    /// The user makes an invitation: roles change only when it is accepted.
    case invite
    /// The user accepts an invitation.
    case accept(from: UserID)
    /// He leaves: unbinds, is erased, or his time as a guest is over.
    case leave
    /// He takes somebody else off the device.
    case remove(UserID)
    /// He gives the device to somebody else.
    case transfer(to: UserID)
    /// The device's life with its users ends, whoever asked for it.
    case end
}

/// What follows from an event.
package struct BondChange: Sendable, Equatable {
    /// What becomes of the invitations to the device.
    package enum Invitations: Sendable, Equatable {
        /// Only those of who leaves are void.
        case stay
        /// All are void.
        case void
        /// Open ones are void; those that let somebody in are the new owner's.
        case pass(to: UserID)
    }

    /// A user's new role.
    package struct RoleChange: Sendable, Equatable {
        /// Whose.
        package var uid: UserID
        /// The role.
        package var role: Binding.Role

        /// Gives a role.
        package init(_ uid: UserID, _ role: Binding.Role) {
            self.uid = uid
            self.role = role
        }
    }

    /// The role in which the acting user's bond begins.
    package var joined: Binding.Role?
    /// Everybody whose bond ends, the cause of it first.
    package var ended: [UserID] = []
    /// Who has another role from now on.
    package var roles: [RoleChange] = []
    /// What becomes of invitations.
    package var invitations = Invitations.stay
    /// Whether the device's life with its users so far is over: those who come see nothing of it.
    package var endsLife = false

    /// Nothing follows.
    package init() {}

    /// Whether anything follows.
    package var isEmpty: Bool { self == BondChange() }
}

/// Decides what becomes of the bonds of a device: one decision for every standing and every event.
package enum BondRules {
    /// The window in which wrong proofs count, in seconds.
    package static let triesWindowSeconds: Int64 = 900

    /// Decides about an event that a user causes, given everybody who is bound.
    ///
    /// - Throws: `Rejection` where the event is none that the standing allows.
    package static func decide(
        _ event: BondEvent,
        by uid: UserID,
        among present: [Binding]
    ) throws(Rejection) -> BondChange {
        let standing = Standing(of: uid, among: present)
        switch event {
        case .bind: return try bind(standing)
        case .invite: return try invite(standing)
        case .accept(let inviter): return try accept(inviter, standing, present)
        case .leave: return try leave(standing, uid, present)
        case .remove(let other): return try remove(other, standing, uid, present)
        case .transfer(let heir): return try transfer(heir, standing, uid, present)
        case .end: return end(present)
        }
    }

    private static func bind(_ standing: Standing) throws(Rejection) -> BondChange {
        var change = BondChange()
        switch standing {
        case .strangerToFree: change.joined = .special
        case .strangerToShared: change.joined = .normal
        case .strangerToOwned:
            throw Rejection(.forbidden, "The device has an owner, who alone lets others in.")
        case .special, .normal, .owner, .guest: break
        }
        return change
    }

    private static func invite(_ standing: Standing) throws(Rejection) -> BondChange {
        switch standing {
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .normal, .guest:
            throw Rejection(.forbidden, "Only who is special to the device, or owns it, shares it.")
        case .owner, .special: return BondChange()
        }
    }

    /// The first who accepts makes the inviter the owner, and guests of all who were bound beside them.
    private static func accept(
        _ inviter: UserID,
        _ standing: Standing,
        _ present: [Binding]
    ) throws(Rejection) -> BondChange {
        switch standing {
        case .strangerToFree, .strangerToShared, .strangerToOwned: break
        case .special, .normal, .owner, .guest:
            throw Rejection(.duplicated, "The device is bound to you already.")
        }
        guard let host = present.first(where: { $0.uid == inviter && $0.role.isPrincipal }) else {
            throw Rejection(.expired, "The device is not the inviter's to share any more.")
        }
        var change = BondChange()
        change.joined = .guest
        guard host.role == .special else { return change }
        change.roles = [.init(inviter, .owner)]
        change.roles += present.filter { $0.role == .normal }.map { .init($0.uid, .guest) }
        return change
    }

    private static func leave(
        _ standing: Standing,
        _ uid: UserID,
        _ present: [Binding]
    ) throws(Rejection) -> BondChange {
        var change = BondChange()
        change.ended = [uid]
        switch standing {
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .normal, .guest: break
        case .owner:
            change.ended += present.filter { $0.role == .guest }.map(\.uid)
            change.invitations = .void
        case .special:
            let heir = present.filter { $0.role == .normal }
                .min { ($0.boundAt, $0.uid) < ($1.boundAt, $1.uid) }
            if let heir { change.roles = [.init(heir.uid, .special)] }
            // Whatever waits for an answer is theirs: only the special user invites.
            change.invitations = .void
        }
        change.endsLife = change.ended.count == present.count
        return change
    }

    private static func remove(
        _ other: UserID,
        _ standing: Standing,
        _ uid: UserID,
        _ present: [Binding]
    ) throws(Rejection) -> BondChange {
        try requireOwner(standing)
        guard other != uid else {
            throw .invalid("params.uid", "Leave the device with device/unbind.")
        }
        guard present.contains(where: { $0.uid == other }) else { throw noSuchGuest }
        var change = BondChange()
        change.ended = [other]
        return change
    }

    private static func transfer(
        _ heir: UserID,
        _ standing: Standing,
        _ uid: UserID,
        _ present: [Binding]
    ) throws(Rejection) -> BondChange {
        try requireOwner(standing)
        guard heir != uid else {
            throw .invalid("params.uid", "The device is yours already.")
        }
        guard present.contains(where: { $0.uid == heir }) else { throw noSuchGuest }
        var change = BondChange()
        change.ended = [uid]
        change.roles = [.init(heir, .owner)]
        change.invitations = .pass(to: heir)
        change.endsLife = true
        return change
    }

    private static func end(_ present: [Binding]) -> BondChange {
        var change = BondChange()
        change.ended = present.map(\.uid)
        change.invitations = .void
        change.endsLife = true
        return change
    }

    // MARK: Refusals

    private static func requireOwner(_ standing: Standing) throws(Rejection) {
        switch standing {
        case .owner: return
        case .strangerToFree, .strangerToShared, .strangerToOwned: throw notBound
        case .special, .normal, .guest:
            throw Rejection(.forbidden, "Only the owner of the device may do this.")
        }
    }

    /// What answers whoever isn't bound to a device, and whoever names one that isn't there.
    package static let notBound = Rejection(
        .notBound,
        "The device is not bound to you.",
        field: "params.did"
    )

    private static let noSuchGuest = Rejection(
        .resourceNotFound,
        "No such user is bound to the device.",
        field: "params.uid"
    )
}
