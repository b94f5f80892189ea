/// A service, such as a voice assistant, that an app's users can link to their accounts.
///
/// The documentation describes the rules for these services (reference: oauth#clients).
package struct OAuthClient: Sendable, Equatable {
    /// The client's id.
    package var id: ClientID
    /// The app whose users can link the service.
    package var app: AppID
    /// The name that users see, such as `Alexa`.
    package var name: String
    /// The URLs to which users can be sent back at the client's request.
    package var redirects: [String]
    /// The scopes that the client can request.
    package var scopes: [KeyScope]
    /// The digest of the client's secret, or nil for a public client.
    ///
    /// Public clients must use PKCE.
    package var secretHash: [UInt8]?

    /// Makes a client.
    package init(
        id: ClientID,
        app: AppID,
        name: String,
        redirects: [String],
        scopes: [KeyScope],
        secretHash: [UInt8]?
    ) {
        self.id = id
        self.app = app
        self.name = name
        self.redirects = redirects
        self.scopes = scopes
        self.secretHash = secretHash
    }

    /// Returns whether a string can be a redirect URL.
    ///
    /// The scheme must be `https`, or an app's scheme that contains a dot. The scheme `http` is also allowed, but only
    /// with the host `localhost`, `127.0.0.1` or `[::1]`. Fragments aren't allowed.
    package static func isRedirect(_ text: String) -> Bool {
        guard text.utf8.count <= 512, text.utf8.allSatisfy(\.isVisible),
            !text.contains(where: "#\"'<>\\^`{|}@".contains), let colon = text.firstIndex(of: ":")
        else { return false }
        let (scheme, rest) = (text[..<colon], text[colon...])
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains { name in
            rest.hasPrefix("://\(name)") && [nil, ":", "/", "?"].contains(rest.dropFirst(name.count + 3).first)
        }
        return switch scheme {
        case "https": rest.hasPrefix("://") && rest.dropFirst(3).first.map { $0.isLetter || $0.isNumber } ?? false
        case "http": isLocal
        default: scheme.contains(".") && scheme.utf8.allSatisfy { $0.isLetterOrDigit || ".+-".utf8.contains($0) }
        }
    }
}

/// A code or a token of a linked service, as it is stored.
package struct OAuthToken: Sendable {
    /// The kinds of tokens.
    package enum Kind: String, Sendable { case code, access, refresh }

    /// The token's digest.
    package let hash: [UInt8]
    /// The session of the linked service.
    package let session: SessionID
    /// The token's kind.
    package let kind: Kind
    /// The moment from which the token is refused.
    package let expiresAt: Instant
    /// The moment at which the token became invalid.
    ///
    /// A code becomes invalid when it is used. A public client's refresh token becomes invalid when the client uses
    /// another refresh token of the same session.
    package let usedAt: Instant?

    /// Makes a token.
    package init(hash: [UInt8], session: SessionID, kind: Kind, expiresAt: Instant, usedAt: Instant?) {
        self.hash = hash
        self.session = session
        self.kind = kind
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }

    /// The lifetimes, in seconds, of a code, of an access token, and of a session after its last refresh.
    ///
    /// Until a session's code is used, the session has the same lifetime as the code.
    package static let (codeSeconds, accessSeconds, sessionSeconds) = (Int64(120), Int64(3_600), Int64(365 * 86_400))
    /// How many of a session's newest access tokens and refresh tokens are kept.
    package static let (accessMax, refreshMax) = (10, 100)

    /// The prefix of access tokens, never used for the tokens of ordinary sessions.
    package static let accessPrefix = "lla_"
    /// Returns whether a string has the form of an access token.
    package static func isAccess(_ text: String) -> Bool { text.hasPrefix(accessPrefix) }
}
