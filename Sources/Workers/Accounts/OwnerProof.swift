import Domain
import Providers
import Storage
import Wire

/// A password, code or ticket, which proves that the caller owns the account; a session alone doesn't prove that.
///
/// `prepare` counts a try. After this count is committed, `check` compares the proof in the next transaction.
enum OwnerProof {
    case password(String)
    case code(String, token: String?, CodePurpose, [Address])
    case ticket(String, [Address])

    /// Counts a try of a password or code, and returns the check's slow work.
    ///
    /// If `isOwner` is false, the request's address isn't an address of the user. No password is then accepted.
    func prepare(_ user: User, isOwner: Bool = true, field: String, _ call: Call) throws -> BackgroundTask? {
        switch self {
        case .password(let password):
            try PasswordTries.begin(user, call)
            // A password that no account can have takes as long to verify as any other password.
            let bytes = PasswordRules.normalised(password)
            let hash = isOwner && bytes != nil ? user.passwordHash : nil
            return .verify(SecretBytes(bytes ?? []), against: hash)
        case .code(_, let token, let purpose, let addresses):
            for address in addresses {
                let scope = CodeScope(purpose, address, of: user)
                guard try call.tx.codes.isOut(scope) else { continue }
                let max = CodeRules.wrongCodesMax
                guard try call.tx.codes.countTry(scope, token: token, max: max) else {
                    try call.audit(.codeFailed, of: user.uid, detail: call.request.method)
                    return .refusal(wrong(field))
                }
            }
            return .commit
        case .ticket: return nil
        }
    }

    /// Uses up a correct code or ticket, and throws if the proof is wrong.
    func check(_ user: User, field: String, _ call: Call) throws {
        switch self {
        case .password:
            guard let matched = call.prepared.matched, matched == user.passwordHash else { throw wrong(field) }
            try PasswordTries.succeeded(user, call)
        case .code(let code, let token, let purpose, let addresses):
            for address in addresses {
                let scope = CodeScope(purpose, address, of: user)
                if try call.tx.codes.use(code, token: token, for: scope) { return }
            }
            throw wrong(field)
        case .ticket(let ticket, let addresses):
            for address in addresses {
                let (scope, terminal) = (CodeScope(.operation, address, of: user), call.request.terminal)
                if try call.tx.codes.useTicket(ticket, for: scope, on: terminal) { return }
            }
            throw wrong(field)
        }
    }

    /// Returns the refusal of a wrong proof, and records the failure in the audit trail.
    func refusal(_ rejection: Rejection, of user: User, _ call: Call) throws -> Reply {
        let kind: AuditEntry.Kind = if case .password = self { .passwordFailed } else { .codeFailed }
        try call.audit(kind, of: user.uid, detail: call.request.method)
        return .refusal(rejection)
    }

    /// Returns the answer to a wrong proof.
    func wrong(_ field: String) -> Rejection {
        if case .password = self { return Rejection(.invalidCredentials, "The password is wrong.", field: field) }
        return Rejection(.invalidCode, "The code is wrong, too old or used.", field: field)
    }
}

extension CodeScope {
    /// Makes the scope of a code that is sent to an address of an account.
    init(_ purpose: CodePurpose, _ address: Address, of user: User) {
        self.init(app: user.app, region: user.region, purpose: purpose, address: address)
    }
}
