/// A link in a message, which can be used once for an action on an account.
package struct Link: Sendable, Equatable {
    /// The effect of a link.
    package enum Kind: String, Sendable, CaseIterable {
        /// The link verifies an e-mail address.
        case verifyEmail
        /// The link lets the user set a new password.
        case resetPassword
        /// The link restores an account's previous address.
        case undoAddress

        /// The lifetime of a link with this effect, in seconds.
        package var lifeSeconds: Int64 {
            switch self {
            case .verifyEmail, .undoAddress: 86_400
            case .resetPassword: 3600
            }
        }
    }

    /// The link's effect.
    package var kind: Kind
    /// The user whose account the link acts on.
    package var uid: UserID
    /// The address to which the link was sent.
    ///
    /// A link with the effect `undoAddress` restores this address. A link with another effect works only while the
    /// account has this address.
    package var address: String
    /// Further values, by name.
    package var detail: [String: String]
    /// The expiry time.
    package var expiresAt: Instant
    /// The time at which the link was used.
    package var usedAt: Instant?
    /// The creation time.
    package var createdAt: Instant

    /// Makes a link.
    package init(
        kind: Kind,
        uid: UserID,
        address: String,
        detail: [String: String],
        createdAt: Instant,
        expiresAt: Instant,
        usedAt: Instant?
    ) {
        self.createdAt = createdAt
        self.kind = kind
        self.uid = uid
        self.address = address
        self.detail = detail
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}
