/// The policies of an app, with default values for policies that its document omits.
package struct AppPolicies: Sendable, Equatable {
    /// How an e-mail address is verified at registration.
    package enum EmailRegistration: String, Sendable, CaseIterable {
        /// The user verifies the address with a code before the account exists.
        case code
        /// The account is registered at once, and the user gets an e-mail with a link that verifies the address.
        case link
        /// The same happens as with `link`, and the e-mail also confirms the registration.
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
    /// Whether users can verify their e-mail address, and see whether the address is verified.
    package var emailVerification = true
    /// Whether users can register with a phone number.
    package var phoneRegistration = false
    /// Whether the app provides its own user ids.
    package var uidLogin = false
    /// Whether users can change a username that they have set.
    package var usernameChangeable = true
    /// The rule for an anonymous user who logs out: keep or discard the account.
    package var anonymous = Anonymous.keep

    /// The default country code; nil if each request must name one.
    package var defaultCountryCode: String?

    /// Whether the cancellation of an account needs a further proof, in addition to the user's session.
    package var cancelProof = true
    /// How many days a session lasts after login or refresh, or nil for the default.
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
