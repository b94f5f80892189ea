/// The name of an identity provider: a built-in one, or `oidc:{name}`.
package struct ProviderName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name on the wire and in the app document.
    package let rawValue: String

    /// Creates a name from a text that is a built-in name or has the form `oidc:{name}`.
    ///
    /// For any other text, the result is nil.
    package init?(rawValue: String) {
        let isKnown = Self.known.contains { $0.rawValue == rawValue }
        guard isKnown || Self.isIssuer(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// WeChat, whose code is exchanged for an access token.
    package static let wechat = ProviderName("wechat")
    /// QQ.
    package static let qq = ProviderName("qq")
    /// Facebook.
    package static let facebook = ProviderName("facebook")
    /// Twitter.
    package static let twitter = ProviderName("twitter")
    /// Weibo.
    package static let weibo = ProviderName("weibo")
    /// Baidu.
    package static let baidu = ProviderName("baidu")
    /// Sign in with Apple.
    package static let apple = ProviderName("apple")
    /// Google.
    package static let google = ProviderName("google")

    /// The built-in names, which are written without `oidc:`.
    package static let known = [wechat, qq, facebook, twitter, weibo, baidu, apple, google]

    /// Whether the provider issues ID tokens that are verified with its published keys.
    package var hasIDTokens: Bool { self == .apple || self == .google || rawValue.utf8.starts(with: "oidc:".utf8) }

    package var description: String { rawValue }

    private static func isIssuer(_ text: String) -> Bool {
        text.utf8.starts(with: "oidc:".utf8) && PlainForm.accepts(String(Substring(text.utf8.dropFirst(5))).utf8)
    }
}

/// A user's identity, as confirmed by an identity provider.
///
/// An account is looked up by `provider` and `subject` alone. The e-mail address is only the provider's claim.
package struct VerifiedIdentity: Sendable, Equatable {
    /// The provider.
    package var provider: ProviderName
    /// The user's id at the provider, for this app.
    package var subject: String
    /// The token with which the app can query the provider later.
    package var accessToken: String?
    /// An e-mail address that the provider has verified.
    package var email: String?
    /// The display name.
    package var nickname: String?
    /// The URL of a picture.
    package var avatarURL: String?

    /// Makes an identity.
    package init(
        provider: ProviderName,
        subject: String,
        accessToken: String? = nil,
        email: String? = nil,
        nickname: String? = nil,
        avatarURL: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.accessToken = accessToken
        self.email = email
        self.nickname = nickname
        self.avatarURL = avatarURL
    }
}

extension VerifiedIdentity {
    /// Returns a name without control characters and leading spaces, cut to 64 code points, or nil if nothing is left.
    package static func shown(nickname: String?) -> String? {
        guard let nickname else { return nil }
        let visible = nickname.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let trimmed = visible.drop { $0.properties.isWhitespace }.prefix(64)
        return trimmed.isEmpty ? nil : String(String.UnicodeScalarView(trimmed))
    }

    /// Returns the URL of a picture, or nil if it isn't an HTTP or HTTPS URL of at most 2048 visible characters.
    ///
    /// Only apps load the picture; the service doesn't.
    package static func shown(picture: String?) -> String? {
        guard let picture, (9...2048).contains(picture.utf8.count), picture.utf8.allSatisfy(\.isVisible),
            picture.hasPrefix("https://") || picture.hasPrefix("http://")
        else { return nil }
        return picture
    }
}

/// The reason why an identity could not be verified.
package enum ProviderFailure: Error, Equatable, Sendable {
    /// The problem with a credential, for logs and tests, without any part of the credential.
    package enum Reason: String, Sendable {
        /// The provider doesn't know the credential or no longer accepts it, or the signature is wrong.
        case refused
        /// The credential has expired.
        case expired
        /// The credential was issued for another app.
        case otherApp
        /// The credential belongs to a different user than the app claims.
        case otherUser
        /// The credential comes from another issuer.
        case otherIssuer
        /// The credential can't be parsed, or uses an algorithm that isn't accepted.
        case malformed
        /// The credential was issued for another login attempt.
        case nonce
    }

    /// The credential doesn't prove who the user is.
    case invalidCredential(Reason)
    /// The provider can't be reached. `because` says why, without secrets. Apps can retry after `retryAfter` seconds.
    case unavailable(retryAfter: Int64, because: String)
    /// The app doesn't use this provider.
    case disabled

    /// The error for the app.
    package var rejection: Rejection {
        switch self {
        case .invalidCredential:
            Rejection(
                .invalidCredentials,
                "The provider does not confirm this credential for this app.",
                field: "params.credential"
            )
        case .unavailable(let seconds, _):
            Rejection(
                .unavailable,
                "The identity provider can't be reached at present; try again later.",
                retryAfter: seconds
            )
        case .disabled:
            Rejection(.policyRejected, "This app does not use this identity provider.", field: "params.provider")
        }
    }
}
