/// The policies of an app; policies that the app document omits have their defaults.
package struct AppPolicies: Sendable, Equatable {
    /// The verification of an e-mail address at registration.
    package enum EmailRegistration: String, Sendable, CaseIterable {
        /// A code verifies it first.
        case code
        /// The address is registered at once, and a link verifies it later.
        case link
        /// The address is registered at once; a confirmation has a link that can verify it.
        case none
    }

    /// The treatment of an anonymous user who logs out.
    package enum Anonymous: String, Sendable, CaseIterable {
        case keep, discard
    }

    /// Whether answers may reveal that an account exists.
    package var revealAccounts = false
    /// The verification of an e-mail address at registration.
    package var emailRegistration = EmailRegistration.code
    /// Whether users see if their e-mail address is verified, and can verify it.
    package var emailVerification = true
    /// Whether users can register with a phone.
    package var phoneRegistration = false
    /// Whether the app provides its own user ids.
    package var uidLogin = false
    /// Whether a username that is set can be changed.
    package var usernameChangeable = true
    /// The treatment of an anonymous user who logs out.
    package var anonymous = Anonymous.keep

    /// The default country code; nil if each request must name one.
    package var defaultCountryCode: String?

    /// Whether cancelling an account needs more than a session.
    package var cancelProof = true
    /// The life of a session from login or refresh, in days; nil for the service's default.
    package var sessionDays: Int64?

    /// The allowed life of a session, in days.
    package static let sessionDaysRange: ClosedRange<Int64> = 1...3650

    /// The refusal if phones can't register.
    package static let phoneIsOff = Rejection(
        .policyRejected,
        "This app does not register phone numbers.",
        field: "params.phone"
    )

    /// The defaults.
    package init() {}
}
