package import Domain

/// The caller of an operation.
package struct Caller: Sendable, Equatable {
    /// The way in which a caller is authenticated.
    package enum Way: Sendable, Equatable {
        /// A browser's session.
        case session(OperatorSession)
        /// A token of a script.
        case token(OperatorToken)
    }

    /// The operator's name; empty without a session or token.
    package var name: String
    /// The caller's role, which determines their rights.
    package var role: OperatorRole
    /// Whether the operator has a password.
    package var hasPassword: Bool
    /// The proof; nil without one, and on the command line.
    package var way: Way?

    /// Creates a caller.
    package init(name: String, role: OperatorRole, hasPassword: Bool = false, way: Way? = nil) {
        (self.name, self.role) = (name, role)
        (self.hasPassword, self.way) = (hasPassword, way)
    }

    /// A caller who has not signed in.
    package static let nobody = Caller(name: "", role: .viewer)

    /// The caller's session, if any.
    package var session: OperatorSession? {
        guard case .session(let session) = way else { return nil }
        return session
    }
}
