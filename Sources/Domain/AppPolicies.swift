/// What an app lets its users do; what an app document leaves out has its default (PROTOCOL 3).
package struct AppPolicies: Sendable, Equatable {
    /// How an e-mail address is proved at registration.
    package enum EmailRegistration: String, Sendable, CaseIterable {
        /// A code proves it first.
        case code
        /// Registered at once, and a link proves it later.
        case link
        /// Registered at once, and a confirmation goes out.
        case none
    }

    /// What becomes of an anonymous user who logs out.
    package enum Anonymous: String, Sendable, CaseIterable {
        case keep, discard
    }

    /// Whether answers may tell that an account exists.
    package var revealAccounts = false
    /// How an e-mail address is proved at registration.
    package var emailRegistration = EmailRegistration.code
    /// Whether users are told if their e-mail is verified, and can have it verified.
    package var emailVerification = true
    /// Whether a phone can register.
    package var phoneRegistration = false
    /// Whether the app brings user ids of its own.
    package var uidLogin = false
    /// Whether a username that is set can be changed.
    package var usernameChangeable = true
    /// What becomes of an anonymous user who logs out.
    package var anonymous = Anonymous.keep

    /// The defaults.
    package init() {}
}
