import JSON

/// A credential that a user got from an identity provider and uses to log in.
///
/// The documentation describes the rules for credentials (reference: accounts#providers).
package struct ProviderCredential: Sendable, Equatable {
    /// The secret part of a credential, with one case per method of verification.
    package enum Proof: Sendable, Equatable {
        /// A code that the service redeems at the provider with the app's secret.
        case code(String)
        /// An access token, which the provider checks. According to the app, the token belongs to `user`.
        case accessToken(String, user: String?)
        /// An OAuth 1.0a token and its secret.
        case signingKey(String, secret: String)
        /// A signed ID token. According to the app, the token belongs to `user`.
        case idToken(String, user: String?, nonce: String?)
    }

    /// The provider.
    package let provider: ProviderName
    /// The proof.
    package let proof: Proof
    /// The user's name according to the app, unverified.
    package let nickname: String?

    private init(_ provider: ProviderName, _ proof: Proof, nickname: String? = nil) {
        (self.provider, self.proof, self.nickname) = (provider, proof, nickname)
    }

    /// Returns an invalid credential for testing a provider, or nil if the provider uses ID tokens.
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

    /// A token's maximum length in bytes, enough for ID tokens with many claims.
    package static let tokenMax = 16_384
    /// The maximum number of bytes of a user's id at a provider.
    package static let idMax = 256

    /// Parses the fields `provider` and `credential` of a request.
    ///
    /// - Throws: `Rejection` that names the field at fault: `params.provider` or a member of `params.credential`.
    package static func parse(provider: String, credential fields: Fields) throws(Rejection) -> ProviderCredential {
        if provider == "auth2" { return try parseAuth2(fields) }
        guard let name = ProviderName(rawValue: provider) else {
            throw .invalid("params.provider", "There is no identity provider with this name.")
        }
        let proof: Proof
        switch name {
        case .wechat: proof = .code(try fields.token("code"))
        case .qq, .weibo:
            let user = try fields.id(name == .qq ? "userId" : "uid")
            proof = .accessToken(try fields.token("accessToken"), user: user)
        case .facebook, .baidu:
            proof = .accessToken(try fields.token("accessToken"), user: nil)
        case .twitter:
            let key = try fields.token("key")
            proof = .signingKey(key, secret: try fields.token("secret"))
        case .apple: return try parseApple(fields, token: "identityToken", details: fields)
        default:
            let nonce = try fields.optionalID("nonce")
            proof = .idToken(try fields.token("identityToken"), user: nil, nonce: nonce)
        }
        return ProviderCredential(name, proof)
    }

    /// Parses a credential in Tuya's form.
    ///
    /// The type `ap` means Apple. `extraInfo` may contain the user's id, the nonce and the user's name.
    private static func parseAuth2(_ fields: Fields) throws(Rejection) -> ProviderCredential {
        guard fields.object["type"]?.stringValue == "ap" else { throw fields.refuse("type", "must be \"ap\"") }
        let details = try fields.fields("extraInfo")
        return try parseApple(fields, token: "accessToken", details: details)
    }

    private static func parseApple(
        _ fields: Fields,
        token: String,
        details: Fields?
    ) throws(Rejection) -> ProviderCredential {
        let token = try fields.token(token)
        let user = try details?.optionalID("userIdentifier")
        let nonce = try details?.optionalID("nonce")
        let given = try details?.optionalID("nickname")
        let elsewhere = try details?.optionalID("snsNickname")
        return ProviderCredential(.apple, .idToken(token, user: user, nonce: nonce), nickname: given ?? elsewhere)
    }
}

/// Functions that read a credential's members, with the limits on their sizes.
extension Fields {
    /// Returns a token, code or secret, which must consist of visible ASCII characters.
    fileprivate func token(_ name: String) throws(Rejection) -> String {
        let text = try givenText(name)
        guard text.utf8.count <= ProviderCredential.tokenMax,
            text.utf8.allSatisfy(\.isVisible)
        else { throw refuse(name, "is too long or has characters that are not allowed") }
        return text
    }

    /// Returns an id as text, even if the provider writes it as a number.
    fileprivate func id(_ name: String) throws(Rejection) -> String {
        if let number = object[name]?.intValue { return String(number) }
        return try bounded(name, givenText(name))
    }

    /// Returns an optional string, or nil if the string is missing or empty.
    ///
    /// Apps may leave such a string empty after the first login.
    fileprivate func optionalID(_ name: String) throws(Rejection) -> String? {
        let isAbsent = object[name] == nil || object[name]?.stringValue == ""
        return isAbsent ? nil : try bounded(name, givenText(name))
    }

    private func bounded(_ name: String, _ text: String) throws(Rejection) -> String {
        guard text.utf8.count <= ProviderCredential.idMax else { throw refuse(name, "is too long") }
        return text
    }

    private func givenText(_ name: String) throws(Rejection) -> String {
        guard let text = object[name]?.stringValue, !text.isEmpty else { throw refuse(name, "is needed, as text") }
        return text
    }
}
