/// The rules for invitations.
///
/// The rules in words (reference: sharing#invitations).
package enum SharingRules {
    /// The allowed duration of a guest's binding, in minutes: up to ten years.
    package static let guestMinutes: ClosedRange<Int64> = 1...5_256_000
    /// The number of random bytes in a code's text.
    package static let codeBytes = 16
    /// The prefix, by which an app recognises an invitation.
    package static let codePrefix = "lamplighter:share:"

    /// Returns the reason why a user may not answer an invitation named by its id or by its scanned code; nil if they
    /// may.
    package static func refuseAnswer(_ sharing: Sharing?, by uid: UserID, at now: Instant) -> Rejection? {
        guard let sharing else { return notFound }
        switch sharing.way {
        case .user where sharing.guest != uid: return notFound
        case .qrcode where sharing.inviter == uid:
            return .invalid("params.qrText", "The invitation is your own; another user has to scan it.")
        case .user, .qrcode: break
        }
        return sharing.status(at: now) == .pending ? nil : expired
    }

    /// Returns the reason why a user may not revoke an invitation; nil if they may.
    package static func refuseRevocation(_ sharing: Sharing?, by uid: UserID, at now: Instant) -> Rejection? {
        guard let sharing, sharing.inviter == uid else { return notFound }
        return sharing.status(at: now).isOpen ? nil : expired
    }

    /// The fate of an open invitation when bindings of its device end.
    package enum Fate: Sendable, Equatable {
        /// It stays unchanged.
        case stays
        /// It passes to the new owner.
        case passes(to: UserID)
        /// It ends, as `revoked` or `expired`.
        case ends(Sharing.Status)
    }

    /// Decides the fate of an open invitation after a change in which a binding ended for a reason.
    ///
    /// A pending invitation whose time is over ends as expired, whatever the reason. An accepted one expires with its
    /// guest's time; all others that end are revoked.
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
