import Domain
import Storage
import Wire

/// `session/logoutCode`: returns a code that ends other terminals' sessions, after a proof of ownership.
enum LogoutCodeMethod {
    static let method = Method(prepare: prepare, run: run)

    private enum AccountType: String, CaseIterable {
        case email, phone
    }

    private enum VerifyType: String, CaseIterable {
        case authCode, password
    }

    /// The request's parameters: the name of an account, and the proof of its ownership.
    private struct LogoutCodeParameters {
        var address: Address
        var proof: OwnerProof
        var field: String
    }

    @Sendable
    private static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        let user = try owner(call)
        let parameters = try parameters(call, user)
        let isOwner = user.verifiedAddresses.contains(parameters.address)
        if case .code = parameters.proof, !isOwner { return nil }
        return try parameters.proof.prepare(user, isOwner: isOwner, field: parameters.field, call)
    }

    @Sendable
    private static func run(_ call: inout Call) throws -> Reply {
        let user = try owner(call)
        let parameters = try parameters(call, user)
        guard user.verifiedAddresses.contains(parameters.address) else {
            // The same answer as to a wrong code or password, so that it does not tell whose address it is.
            return try parameters.proof.refusal(
                parameters.proof.wrong(parameters.field),
                of: user,
                call
            )
        }
        do {
            try parameters.proof.check(user, field: parameters.field, call)
        } catch let rejection as Rejection {
            return try parameters.proof.refusal(rejection, of: user, call)
        }
        let terminal = call.request.terminal
        let seconds = call.limits.logoutCodeSeconds
        let code = try call.tx.logoutCodes.make(
            user.uid,
            on: terminal,
            expiresAt: call.tx.now.adding(seconds: seconds)
        )
        try call.tx.audit.add(
            AuditEntry(
                kind: .logoutCodeMade,
                uid: user.uid,
                app: user.app,
                actor: call.actor(),
                terminal: terminal,
                detail: parameters.field
            )
        )
        return .result(SessionCodec.logoutCode(code, seconds: seconds), isSecret: true)
    }

    /// Returns the user of the request's session.
    static func owner(_ call: Call) throws -> User {
        guard let user = try call.tx.accounts.find(call.caller().uid) else {
            throw Rejection(.invalidToken, "The account is gone.", field: "token")
        }
        return user
    }

    // MARK: Fields

    private static func parameters(
        _ call: Call,
        _ user: User
    ) throws(Rejection) -> LogoutCodeParameters {
        let fields = call.fields
        let countryCode = try fields.requiredText("countryCode", length: 1...3)
        guard CountryCode.accepts(countryCode) else {
            throw .invalid(
                "params.countryCode",
                "params.countryCode must be 1 to 3 digits, such as 49."
            )
        }
        guard let accountType = try fields.word("accountType", as: AccountType.self) else {
            throw .invalid("params.accountType", "params.accountType is missing.")
        }
        guard let verifyType = try fields.word("verifyType", as: VerifyType.self) else {
            throw .invalid("params.verifyType", "params.verifyType is missing.")
        }
        let address = try address(fields, of: accountType, countryCode: countryCode)
        let isEncrypted = try fields.integer("ifencrypt", in: 0...1) == 1
        switch verifyType {
        case .authCode:
            if isEncrypted {
                throw .invalid("params.ifencrypt", "A code is never encrypted.")
            }
            try forbid("password", with: "authCode", in: fields)
            let code = try fields.requiredText("authCode", length: 1...16)
            let token = try fields.text("codeToken", length: 1...64)
            let proof = OwnerProof.code(code, token: token, .logoutTerminal, [address])
            return LogoutCodeParameters(address: address, proof: proof, field: "params.authCode")
        case .password:
            guard accountType == .phone else {
                throw .invalid(
                    "params.verifyType",
                    "With accountType email, verifyType must be authCode."
                )
            }
            try forbid("authCode", with: "password", in: fields)
            let password = try fields.requiredText("password", length: 1...512)
            return LogoutCodeParameters(
                address: address,
                proof: .password(password),
                field: "params.password"
            )
        }
    }

    private static func forbid(
        _ name: String,
        with other: String,
        in fields: Fields
    ) throws(Rejection) {
        guard !fields.has(name) else {
            throw .invalid(
                "params.\(name)",
                "With verifyType \(other), params.\(name) must be absent."
            )
        }
    }

    private static func address(
        _ fields: Fields,
        of type: AccountType,
        countryCode: String
    ) throws(Rejection) -> Address {
        let name = try fields.requiredText("userName", length: 1...254)
        switch type {
        case .email:
            guard let email = EmailAddress(name) else {
                throw .invalid("params.userName", "params.userName is not an e-mail address.")
            }
            return .email(email)
        case .phone:
            guard let phone = Phone(name, countryCode: countryCode) else {
                throw .invalid(
                    "params.userName",
                    "params.userName is not a phone number of country code \(countryCode)."
                )
            }
            return .phone(phone)
        }
    }
}
