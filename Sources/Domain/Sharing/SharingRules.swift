/// The rules for invitations.
///
/// The documentation describes these rules (reference: sharing#invitations).
package enum SharingRules {
    /// The allowed duration of a guest's binding, in minutes: up to ten years.
    package static let guestMinutes: ClosedRange<Int64> = 1...5_256_000
    /// The number of random bytes in the text of an invitation's QR code.
    package static let codeBytes = 16
    /// The prefix by which an app recognises the QR code of an invitation.
    package static let codePrefix = "lamplighter:share:"

    /// Returns why a user may not answer an invitation, or nil if the user may answer it.
    package static func refuseAnswer(_ sharing: Sharing?, by uid: UserID, at now: Instant) -> Rejection? {
        guard let sharing else { return notFound }
        switch sharing.way {
        case .user where sharing.guest != uid: return notFound
        case .qrcode where sharing.inviter == uid:
            return .invalid("params.qrText", "The invitation is your own; another user must scan the code.")
        case .user, .qrcode: break
        }
        return sharing.status(at: now) == .pending ? nil : expired
    }

    /// Returns why a user may not revoke an invitation, or nil if the user may revoke it.
    package static func refuseRevocation(_ sharing: Sharing?, by uid: UserID, at now: Instant) -> Rejection? {
        guard let sharing, sharing.inviter == uid else { return notFound }
        return sharing.status(at: now).isOpen ? nil : expired
    }

    /// The effect of a change of a device's bindings on an open invitation.
    package enum Fate: Sendable, Equatable {
        /// The invitation stays unchanged.
        case stays
        /// The invitation passes to the new owner.
        case passes(to: UserID)
        /// The invitation ends with the status `revoked` or `expired`.
        case ends(Sharing.Status)
    }

    /// Decides whether an open invitation stays, passes to a new owner or ends.
    ///
    /// A pending invitation whose deadline has passed ends as `expired`. An accepted invitation ends as `expired` when
    /// the guest's binding expires. An invitation that ends for another reason ends as `revoked`.
    package static func fate(
        of sharing: Sharing,
        after change: BindingChange,
        because reason: UnbindReason,
        at now: Instant
    ) -> Fate {
        let isGuestGone = sharing.guest.map { change.ended.contains($0) } ?? false
        let isAccepted = sharing.status == .accepted
        switch change.invitations {
        case .stay where !isGuestGone: return .stays
        case .pass(let heir) where isAccepted && !isGuestGone && sharing.guest != heir: return .passes(to: heir)
        case .stay, .void, .pass: break
        }
        let isOver =
            sharing.status(at: now) == .expired
            || (isAccepted && isGuestGone && reason == .expired)
        return .ends(isOver ? .expired : .revoked)
    }

    private static let notFound = Rejection(.resourceNotFound, "There is no such invitation for you.")
    private static let expired = Rejection(
        .expired,
        "The invitation is over: it was answered, was revoked, or its time has passed."
    )
}
