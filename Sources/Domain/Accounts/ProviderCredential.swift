package import JSON

/// The credential that an app got from an identity provider and logs in with.
///
/// The rules in words (reference: accounts#providers).
package struct ProviderCredential: Sendable, Equatable {
    /// The proof itself, by its kind of verification.
    package enum Proof: Sendable, Equatable {
        /// A code to exchange at the provider with the app's secret.
        case code(String)
        /// An access token, which the provider checks; `user` is its user according to the app.
        case accessToken(String, user: String?)
        /// A token of OAuth 1.0a and its secret.
        case signingKey(String, secret: String)
        /// A signed ID token; `user` is its user according to the app.
        case idToken(String, user: String?, nonce: String?)
    }

    /// The provider.
    package let provider: ProviderName
    /// The proof.
    package let proof: Proof
    /// The user's name according to the app, unverified.
    package let nickname: String?

    private init(_ provider: ProviderName, _ proof: Proof, nickname: String? = nil) {
        self.provider = provider
        self.proof = proof
        self.nickname = nickname
    }

    /// Returns a made-up credential for testing a provider; nil for providers of ID tokens, which
    /// the service verifies itself.
    package static func trial(of provider: ProviderName) -> ProviderCredential? {
        let nothing = "lamplighter-trial"
        switch provider {
        case .wechat: return ProviderCredential(provider, .code(nothing))
        case .qq, .weibo:
            return ProviderCredential(provider, .accessToken(nothing, user: "1"))
        case .facebook, .baidu:
            return ProviderCredential(provider, .accessToken(nothing, user: nil))
        case .twitter: return ProviderCredential(provider, .signingKey(nothing, secret: nothing))
        default: return nil
        }
    }

    /// The maximum number of bytes of a token; ID tokens with many claims are the longest.
    package static let tokenMax = 16_384
    /// The maximum number of bytes of an id at a provider.
    package static let idMax = 256

    /// Reads `provider` and `credential` of a request.
    ///
    /// - Throws: `Rejection` with the field at fault: `params.provider` or one of
    ///   `params.credential`.
    package static func parse(
        provider: String,
        credential: JSONObject
    ) throws(Rejection) -> ProviderCredential {
        let fields = CredentialFields(object: credential, path: "params.credential")
        if provider == "auth2" { return try parseAuth2(fields) }
        guard let name = ProviderName(rawValue: provider) else {
            throw .invalid("params.provider", "There is no identity provider with this name.")
        }
        switch name {
        case .wechat:
            return ProviderCredential(name, .code(try fields.token("code")))
        case .qq:
            let user = try fields.id("userId")
            return ProviderCredential(
                name,
                .accessToken(try fields.token("accessToken"), user: user)
            )
        case .weibo:
            let user = try fields.id("uid")
            return ProviderCredential(
                name,
                .accessToken(try fields.token("accessToken"), user: user)
            )
        case .facebook, .baidu:
            return ProviderCredential(
                name,
                .accessToken(try fields.token("accessToken"), user: nil)
            )
        case .twitter:
            let key = try fields.token("key")
            return ProviderCredential(name, .signingKey(key, secret: try fields.token("secret")))
        case .apple:
            return try parseApple(fields, token: "identityToken", details: fields)
        default:
            let nonce = try fields.optionalID("nonce")
            return ProviderCredential(
                name,
                .idToken(try fields.token("identityToken"), user: nil, nonce: nonce)
            )
        }
    }

    /// Reads Tuya's form of it: type `ap` is Apple, and Apple's other details are in `extraInfo`.
    private static func parseAuth2(
        _ fields: CredentialFields
    ) throws(Rejection) -> ProviderCredential {
        guard fields.object["type"]?.stringValue == "ap" else {
            throw .invalid("params.credential.type", "params.credential.type must be \"ap\".")
        }
        let extra = fields.object["extraInfo"]
        if let extra, extra.objectValue == nil {
            throw .invalid(
                "params.credential.extraInfo",
                "params.credential.extraInfo must be an object."
            )
        }
        let details = CredentialFields(
            object: extra?.objectValue ?? [:],
            path: fields.path + ".extraInfo"
        )
        return try parseApple(fields, token: "accessToken", details: details)
    }

    private static func parseApple(
        _ fields: CredentialFields,
        token: String,
        details: CredentialFields
    ) throws(Rejection) -> ProviderCredential {
        let token = try fields.token(token)
        let user = try details.optionalID("userIdentifier")
        let nonce = try details.optionalID("nonce")
        let given = try details.optionalID("nickname")
        let elsewhere = try details.optionalID("snsNickname")
        return ProviderCredential(
            .apple,
            .idToken(token, user: user, nonce: nonce),
            nickname: given ?? elsewhere
        )
    }
}

/// The members of a credential, read with their limits.
private struct CredentialFields {
    let object: JSONObject
    let path: String

    /// Returns a token, code or secret: text of visible ASCII characters, as all providers make
    /// them.
    func token(_ name: String) throws(Rejection) -> String {
        let text = try required(name)
        guard text.utf8.count <= ProviderCredential.tokenMax,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .invalid("\(path).\(name)", "\(path).\(name) is too long or has odd characters.")
        }
        return text
    }

    /// Returns an id, which some providers write as a number.
    func id(_ name: String) throws(Rejection) -> String {
        if let number = object[name]?.intValue { return String(number) }
        return try bounded(name, required(name))
    }

    /// Reads an optional text; apps pass empty ones for values that a provider gives only once.
    func optionalID(_ name: String) throws(Rejection) -> String? {
        let isAbsent = object[name] == nil || object[name]?.stringValue == ""
        return isAbsent ? nil : try bounded(name, required(name))
    }

    private func bounded(_ name: String, _ text: String) throws(Rejection) -> String {
        guard text.utf8.count <= ProviderCredential.idMax else {
            throw .invalid("\(path).\(name)", "\(path).\(name) is too long.")
        }
        return text
    }

    private func required(_ name: String) throws(Rejection) -> String {
        guard let text = object[name]?.stringValue, !text.isEmpty else {
            throw .invalid("\(path).\(name)", "\(path).\(name) is needed, as text.")
        }
        return text
    }
}
