package import Domain

/// The caller of an operation.
package struct Caller: Sendable, Equatable {
    /// How a caller is authenticated.
    package enum Way: Sendable, Equatable {
        /// The caller has a session in a browser.
        case session(OperatorSession)
        /// The caller is a script with a token.
        case token(OperatorToken)
    }

    /// The operator's name, or an empty string if the caller has not signed in.
    ///
    /// On the command line, `user logout` and `session terminate` use the name `lamplighter`. All other commands use
    /// `cli`.
    package var name: String
    /// The caller's role, which determines their rights.
    package var role: OperatorRole
    /// Whether the operator has a password.
    package var hasPassword: Bool
    /// The caller's session or token, or nil if the caller has neither, as on the command line.
    package var way: Way?

    /// Creates a caller.
    package init(name: String, role: OperatorRole, hasPassword: Bool = false, way: Way? = nil) {
        self.name = name
        self.role = role
        self.hasPassword = hasPassword
        self.way = way
    }

    /// A caller who has not signed in.
    package static let nobody = Caller(name: "", role: .viewer)

    /// The caller's session, or nil if the caller has a token or has not signed in.
    package var session: OperatorSession? {
        guard case .session(let session) = way else { return nil }
        return session
    }
}
