/// The policies of an app; a policy that the app document omits has its default.
package struct AppPolicies: Sendable, Equatable {
    /// How an e-mail address is verified at registration.
    package enum EmailRegistration: String, Sendable, CaseIterable {
        /// A code verifies it first.
        case code
        /// Registered at once, and a link verifies it later.
        case link
        /// Registered at once, and a confirmation is sent, with a link that can verify it.
        case none
    }

    /// The fate of an anonymous user who logs out.
    package enum Anonymous: String, Sendable, CaseIterable {
        case keep, discard
    }

    /// Whether answers may tell that an account exists.
    package var revealAccounts = false
    /// How an e-mail address is verified at registration.
    package var emailRegistration = EmailRegistration.code
    /// Whether users are told if their e-mail is verified, and can have it verified.
    package var emailVerification = true
    /// Whether a phone can register.
    package var phoneRegistration = false
    /// Whether the app brings user ids of its own.
    package var uidLogin = false
    /// Whether a username that is set can be changed.
    package var usernameChangeable = true
    /// The fate of an anonymous user who logs out.
    package var anonymous = Anonymous.keep

    /// The country code of requests that name none; nil if each must name one.
    package var defaultCountryCode: String?

    /// Whether cancelling an account needs more than a session.
    package var cancelProof = true
    /// How long a session lives from login or refresh, in days; nil as long as the service says.
    package var sessionDays: Int64?

    /// How many days a session may live.
    package static let sessionDaysRange: ClosedRange<Int64> = 1...3650

    /// The answer if phones can't register.
    package static let phoneIsOff = Rejection(
        .policyRejected,
        "This app does not register phone numbers.",
        field: "params.phone"
    )

    /// The defaults.
    package init() {}
}
