import Domain
import Storage
import Wire

/// `session/logoutCode`, which returns a code for ending sessions on other terminals.
///
/// The method first checks a code or password of the user.
enum LogoutCodeMethod {
    static let method = Method(locks: .user, prepare: prepare, run: run)

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let user = try call.user()
        let parameters = try LogoutCodeParameters(call.fields, in: call.regions)
        let proof = proof(parameters)
        let isOwner = user.verifiedAddresses.contains(parameters.address)
        if case .code = proof, !isOwner { return nil }
        return try proof.prepare(user, isOwner: isOwner, field: parameters.field, call)
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let user = try call.user()
        let parameters = try LogoutCodeParameters(call.fields, in: call.regions)
        let proof = proof(parameters)
        guard user.verifiedAddresses.contains(parameters.address) else {
            // This refusal is the same as for a wrong code or password. Otherwise, the refusal would reveal that the
            // address doesn't belong to the user.
            return try proof.refusal(proof.wrong(parameters.field), of: user, call)
        }
        do {
            try proof.check(user, field: parameters.field, call)
        } catch let rejection as Rejection {
            return try proof.refusal(rejection, of: user, call)
        }
        let terminal = call.request.terminal
        let seconds = call.limits.logoutCodeSeconds
        let code = try call.tx.logoutCodes.make(user.uid, on: terminal, expiresAt: call.tx.now.adding(seconds: seconds))
        try call.audit(.logoutCodeMade, of: user.uid, detail: parameters.field)
        return .result(SessionCodec.logoutCode(code, seconds: seconds), isSecret: true)
    }

    private static func proof(_ parameters: LogoutCodeParameters) -> OwnerProof {
        switch parameters.proof {
        case .code(let code, let token): .code(code, token: token, .logoutTerminal, [parameters.address])
        case .password(let password): .password(password)
        }
    }
}
