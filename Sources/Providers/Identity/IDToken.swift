import Domain
import Foundation
import JSON
import Sodium

/// A parsed ID token (a signed JWT), with the rules for its claims.
struct IDToken {
    /// The accepted algorithms.
    ///
    /// The algorithm `none` is not accepted. The HS algorithms are not accepted either, because anyone could then sign
    /// a token with the public key as the secret.
    static let algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]

    /// The token as received.
    let text: String
    /// The signature of the bytes in `signed`.
    let signature: [UInt8]
    /// The signed bytes: the header and the claims as received.
    let signed: [UInt8]
    /// The algorithm that the token names.
    let algorithm: String
    /// The id of the issuer's key, if the token names one.
    let keyID: String?
    /// The claims, which must not be trusted before the signature is verified.
    let claims: JSONObject

    /// Parses a token; returns nil if it is malformed, uses an algorithm outside `algorithms`, or has critical
    /// extensions (`crit`).
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Self.bytes(parts[2]), !signature.isEmpty,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let algorithm = header["alg"]?.stringValue, Self.algorithms.contains(algorithm), header["crit"] == nil
        else { return nil }
        keyID = header["kid"]?.stringValue
        guard header["kid"] == nil || keyID.map({ $0.utf8.count <= 256 }) == true else { return nil }
        (self.text, self.signature, self.algorithm, self.claims) = (text, signature, algorithm, claims)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSONObject? {
        guard let bytes = bytes(part) else { return nil }
        return (try? JSONValue.parse(bytes))?.objectValue
    }

    /// Decodes base64url without padding; returns nil if the text is malformed.
    static func bytes(_ text: Substring) -> [UInt8]? {
        guard !text.contains(where: { "+/=".contains($0) }) else { return nil }
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        return Data(base64Encoded: base64 + padding).map(Array.init)
    }
}

extension IDToken {
    /// The tolerated difference between the clocks of the issuer and the service, in seconds.
    static let leeway: Double = 60

    /// Checks the token's issuer, audience, subject, nonce and times, but not its signature.
    func identity(
        for settings: ProviderSettings,
        nonce: String?,
        user: String?,
        at now: Int64
    ) throws(ProviderFailure) -> VerifiedIdentity {
        guard let issuer = claims["iss"]?.stringValue, Self.isSame(issuer, settings) else {
            throw .invalidCredential(.otherIssuer)
        }
        try checkAudience(settings.clientIDs)
        let now = Double(now)
        guard let end = claims["exp"]?.doubleValue else { throw .invalidCredential(.malformed) }
        guard now < end + Self.leeway else { throw .invalidCredential(.expired) }
        if let start = claims["nbf"] {
            guard let start = start.doubleValue, now >= start - Self.leeway else { throw .invalidCredential(.refused) }
        }
        if let nonce { try check(nonce) }
        guard let subject = claims["sub"]?.stringValue, (1...ProviderCredential.idMax).contains(subject.utf8.count)
        else { throw .invalidCredential(.malformed) }
        if let user, user != subject { throw .invalidCredential(.otherUser) }
        return VerifiedIdentity(
            provider: settings.provider,
            subject: subject,
            accessToken: settings.keepsToken ? text : nil,
            email: verifiedEmail,
            nickname: claims["name"]?.stringValue,
            avatarURL: claims["picture"]?.stringValue
        )
    }

    /// Checks that the token's audience contains one of the app's ids in `ours`.
    ///
    /// If the token has several audiences, `azp` must also be one of these ids (OpenID Connect Core 3.1.3.7).
    private func checkAudience(_ ours: [String]) throws(ProviderFailure) {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let one): audiences = [one]
        case .array(let several): audiences = several.compactMap(\.stringValue)
        default: throw .invalidCredential(.malformed)
        }
        guard audiences.contains(where: ours.contains) else { throw .invalidCredential(.otherApp) }
        guard audiences.count > 1 else { return }
        guard let party = claims["azp"]?.stringValue, ours.contains(party) else { throw .invalidCredential(.otherApp) }
    }

    /// Checks that the token contains the nonce or its SHA-256 (apps send the SHA-256 to Apple).
    private func check(_ nonce: String) throws(ProviderFailure) {
        guard let claim = claims["nonce"]?.stringValue else { throw .invalidCredential(.nonce) }
        let digest = Sodium.hex(Sodium.sha256(nonce.utf8))
        guard claim == nonce || claim == digest else { throw .invalidCredential(.nonce) }
    }

    private var verifiedEmail: String? {
        let flag = claims["email_verified"]
        // Apple writes this flag as text.
        let isVerified = flag?.boolValue ?? (flag?.stringValue == "true")
        return isVerified ? claims["email"]?.stringValue : nil
    }

    /// Returns whether a token's issuer is the issuer in the settings.
    ///
    /// A final slash makes no difference, and Google may omit the scheme.
    private static func isSame(_ issuer: String, _ settings: ProviderSettings) -> Bool {
        let bare = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return bare == settings.baseURL || (settings.provider == .google && "https://\(bare)" == settings.baseURL)
    }
}
