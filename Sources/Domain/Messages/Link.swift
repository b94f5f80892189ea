/// A one-time right that a link in a message gives its holder.
package struct Link: Sendable, Equatable {
    /// The effect of a link.
    package enum Kind: String, Sendable, CaseIterable {
        /// Verifies an e-mail address.
        case verifyEmail
        /// Sets a new password.
        case resetPassword
        /// Restores an account's previous address.
        case undoAddress

        /// The life of a link with this effect, in seconds.
        package var lifeSeconds: Int64 {
            switch self {
            case .verifyEmail, .undoAddress: 86_400
            case .resetPassword: 3600
            }
        }
    }

    /// The effect.
    package var kind: Kind
    /// The user whose account it acts on.
    package var uid: UserID
    /// The address that it was sent to; the link does nothing if the account has another by now.
    ///
    /// For `undoAddress` it is the old address, which the account gets back.
    package var address: String
    /// Further values, by name.
    package var detail: [String: String]
    /// The expiry time.
    package var expiresAt: Instant
    /// The time at which it was used.
    package var usedAt: Instant?
    /// The creation time.
    package var createdAt: Instant

    /// Describes a link.
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
