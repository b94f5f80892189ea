/// Decides about invitations.
///
/// The rules in words (reference: sharing#invitations).
package enum SharingRules {
    /// For how long a guest may be let in, in minutes: up to ten years.
    package static let guestMinutes: ClosedRange<Int64> = 1...5_256_000
    /// How many random bytes a code's text has.
    package static let codeBytes = 16
    /// The prefix, by which an app recognises an invitation.
    package static let codePrefix = "lamplighter:share:"

    /// Returns how long an invitation can be answered, in seconds.
    package static func lifeSeconds(_ way: Sharing.Way) -> Int64 {
        switch way {
        case .user: 86_400
        case .qrcode: 900
        }
    }

    /// Returns why a user may not answer an invitation named by its id or by its scanned code; nil when they
    /// may.
    package static func refuseAnswer(
        _ sharing: Sharing?,
        by uid: UserID,
        at now: Instant
    ) -> Rejection? {
        guard let sharing else { return notFound }
        switch sharing.way {
        case .user where sharing.guest != uid: return notFound
        case .qrcode where sharing.inviter == uid:
            return .invalid(
                "params.qrText",
                "The invitation is your own; another user has to scan it."
            )
        case .user, .qrcode: break
        }
        return sharing.status(at: now) == .pending ? nil : expired
    }

    /// Returns why a user may not revoke an invitation; nil when they may.
    package static func refuseRevocation(
        _ sharing: Sharing?,
        by uid: UserID,
        at now: Instant
    ) -> Rejection? {
        guard let sharing, sharing.inviter == uid else { return notFound }
        return sharing.status(at: now).isOpen ? nil : expired
    }

    private static let notFound = Rejection(
        .resourceNotFound,
        "There is no such invitation for you."
    )
    private static let expired = Rejection(
        .expired,
        "The invitation is over: it was answered, was revoked, or its time has passed."
    )
}
