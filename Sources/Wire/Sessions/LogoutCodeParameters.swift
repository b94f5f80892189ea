package import Domain

/// The parameters of `session/logoutCode`: an account's address, and the caller's proof of ownership.
package struct LogoutCodeParameters: Sendable, Equatable {
    /// The proof that the caller owns an account.
    package enum Proof: Sendable, Equatable {
        case code(String, token: String?)
        case password(String)
    }

    /// The account's address.
    package let address: Address
    /// The proof.
    package let proof: Proof

    /// The path of the field with the proof, for refusals that name this field.
    package var field: String {
        switch proof {
        case .code: "params.authCode"
        case .password: "params.password"
        }
    }

    private enum AccountType: String, CaseIterable {
        case email, phone
    }

    private enum VerifyType: String, CaseIterable {
        case authCode, password
    }

    /// Reads the account's address and the proof.
    ///
    /// The field `accountType` tells whether the address is an e-mail address or a phone number. The field `verifyType`
    /// tells whether the proof is a code or a password.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        let countryCode = try fields.countryCode(else: regions.defaultCountryCode)
        let accountType = try fields.required("accountType", fields.word("accountType", as: AccountType.self))
        let verifyType = try fields.required("verifyType", fields.word("verifyType", as: VerifyType.self))
        let name = try fields.requiredText("userName", length: 1...254)
        address =
            accountType == .email
            ? try fields.email(name, of: "userName") : try fields.phone(name, of: "userName", countryCode: countryCode)
        let isEncrypted = try fields.integer("ifencrypt", in: 0...1) == 1
        switch verifyType {
        case .authCode:
            if isEncrypted {
                throw .invalid("params.ifencrypt", "With verifyType authCode, params.ifencrypt must be absent or 0.")
            }
            try Self.forbid("password", with: "authCode", in: fields)
            let code = try fields.requiredText("authCode", length: 1...16)
            proof = .code(code, token: try fields.text("codeToken", length: 1...64))
        case .password:
            guard accountType == .phone else {
                throw .invalid("params.verifyType", "With accountType email, verifyType must be authCode.")
            }
            try Self.forbid("authCode", with: "password", in: fields)
            proof = .password(try fields.requiredText("password", length: 1...512))
        }
    }

    private static func forbid(_ name: String, with other: String, in fields: Fields) throws(Rejection) {
        guard !fields.has(name) else {
            throw .invalid("params.\(name)", "With verifyType \(other), params.\(name) must be absent.")
        }
    }
}
