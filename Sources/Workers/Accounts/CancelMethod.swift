import Domain
import Wire

/// `account/cancel`, which erases the account in seven days unless its user logs in before then.
enum CancelMethod {
    static let method = Method(locks: .user, prepare: prepare, run: run)

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let user = try call.user()
        guard let given = try proof(call, user) else { return nil }
        return try given.proof.prepare(user, field: given.field, call)
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        if let given = try proof(call, user) {
            do {
                try given.proof.check(user, field: given.field, call)
            } catch let rejection as Rejection {
                return try given.proof.refusal(rejection, of: user, call)
            }
        }
        let deletesAt = try Cancellation.request(user, &call)
        return .result(AccountCodec.cancelled(until: deletesAt))
    }

    /// Returns the request's proof, or nil if the request contains no proof and needs none.
    private static func proof(_ call: Call, _ user: User) throws -> (proof: OwnerProof, field: String)? {
        let addresses = user.verifiedAddresses
        if let given = try CancelProof(call.fields) {
            switch given {
            case .password(let password): return (.password(password), given.field)
            case .code(let code, let token): return (.code(code, token: token, .operation, addresses), given.field)
            case .ticket(let ticket): return (.ticket(ticket, addresses), given.field)
            }
        }
        let hasNothing = user.passwordHash == nil && addresses.isEmpty
        guard hasNothing || !call.app.policies.cancelProof else {
            throw Rejection.invalid(
                user.passwordHash == nil ? "params.code" : "params.password",
                "Prove that the account is yours, with params.password, params.code or params.ticket."
            )
        }
        return nil
    }
}
