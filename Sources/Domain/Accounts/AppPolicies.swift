/// The policies of an app.
///
/// A policy that the app document omits has its default.
package struct AppPolicies: Sendable, Equatable {
    /// How an e-mail address is verified at registration.
    package enum EmailRegistration: String, Sendable, CaseIterable {
        /// The user verifies the address with a code before the account exists.
        case code
        /// The account is registered at once, and the user verifies the address later with a link.
        case link
        /// The account is registered at once. The confirmation mail contains a link with which the user can verify the
        /// address.
        case none
    }

    /// The rule for an anonymous user who logs out: keep or discard the account.
    package enum Anonymous: String, Sendable, CaseIterable {
        case keep, discard
    }

    /// Whether answers may reveal that an account exists.
    package var revealAccounts = false
    /// How an e-mail address is verified at registration.
    package var emailRegistration = EmailRegistration.code
    /// Whether users can see whether their e-mail address is verified, and can verify the address.
    package var emailVerification = true
    /// Whether users can register with a phone number.
    package var phoneRegistration = false
    /// Whether the app provides its own user ids.
    package var uidLogin = false
    /// Whether a username that is set can be changed.
    package var usernameChangeable = true
    /// The rule for an anonymous user who logs out: keep or discard the account.
    package var anonymous = Anonymous.keep

    /// The default country code; nil if each request must name one.
    package var defaultCountryCode: String?

    /// Whether a user needs a further proof, in addition to a session, to cancel an account.
    package var cancelProof = true
    /// The lifetime of a session from login or refresh, in days; nil for the service's default.
    package var sessionDays: Int64?

    /// The allowed range of a session's lifetime, in days.
    package static let sessionDaysRange: ClosedRange<Int64> = 1...3650

    /// The refusal of a registration by phone if the app doesn't allow it.
    package static let phoneIsOff = Rejection(
        .policyRejected,
        "This app does not register phone numbers.",
        field: "params.phone"
    )

    /// The defaults.
    package init() {}
}
