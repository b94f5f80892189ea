import Domain

/// Who asks.
struct Caller: Sendable, Equatable {
    /// How the caller came.
    enum Way: Sendable, Equatable {
        case session(OperatorSession)
        case token(OperatorToken)
    }

    /// The operator's name; empty without a session or token.
    var name: String
    /// What the caller may do.
    var role: OperatorRole
    var hasPassword: Bool
    var way: Way?

    /// A caller who has not signed in.
    static let nobody = Caller(name: "", role: .viewer, hasPassword: false, way: nil)

    /// The session, where it is one.
    var session: OperatorSession? {
        guard case .session(let session) = way else { return nil }
        return session
    }
}
