import Domain

/// The caller of an operation.
struct Caller: Sendable, Equatable {
    /// The way in which a caller is authenticated.
    enum Way: Sendable, Equatable {
        case session(OperatorSession)
        case token(OperatorToken)
    }

    /// The operator's name; empty without a session or token.
    var name: String
    /// The caller's role, which determines their rights.
    var role: OperatorRole
    var hasPassword: Bool
    var way: Way?

    /// A caller who has not signed in.
    static let nobody = Caller(name: "", role: .viewer, hasPassword: false, way: nil)

    /// The caller's session, if any.
    var session: OperatorSession? {
        guard case .session(let session) = way else { return nil }
        return session
    }
}
