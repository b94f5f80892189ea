package import JSON

/// An app's settings for an identity provider, read and checked from its `providers[name]` object.
package struct ProviderSettings: Sendable, Equatable {
    /// The kind of WeChat id that stands for a user.
    package enum Subject: String, Sendable, CaseIterable {
        /// The user's id for this client id, which always exists.
        case openID = "openid"
        /// The user's id for all apps of one WeChat developer account.
        case unionID = "unionid"
    }

    /// The provider.
    package let provider: ProviderName
    /// Whether users may log in with it.
    package var isEnabled: Bool
    /// Whether access tokens are kept, for the app to read later.
    package var keepsToken: Bool
    /// The app's ids at the provider; credentials issued for any other are refused.
    package var clientIDs: [String]
    /// The app's secret at the provider.
    package var clientSecret: String?
    /// The provider's address: its API's root, or the issuer of its ID tokens; without a final
    /// slash.
    package var baseURL: String
    /// The kind of id that stands for a user of WeChat.
    package var subject = Subject.openID

    /// Makes settings; without a URL, the provider's public address is used.
    package init(
        provider: ProviderName,
        isEnabled: Bool = true,
        keepsToken: Bool = false,
        clientIDs: [String],
        clientSecret: String? = nil,
        baseURL: String? = nil
    ) {
        self.provider = provider
        self.isEnabled = isEnabled
        self.keepsToken = keepsToken
        self.clientIDs = clientIDs
        self.clientSecret = clientSecret
        self.baseURL = baseURL ?? Self.publicURLs[provider] ?? ""
    }

    /// The default address of each provider.
    private static let publicURLs: [ProviderName: String] = [
        .wechat: "https://api.weixin.qq.com",
        .qq: "https://graph.qq.com",
        .facebook: "https://graph.facebook.com",
        .twitter: "https://api.twitter.com",
        .weibo: "https://api.weibo.com",
        .baidu: "https://openapi.baidu.com",
        .apple: "https://appleid.apple.com",
        .google: "https://accounts.google.com",
    ]

    /// The providers that are called with the app's only id and its secret.
    private static let withSecret: [ProviderName] = [.wechat, .facebook, .twitter]

    /// Returns the members that the settings of a provider may have in an app document.
    package static func members(of provider: ProviderName) -> [String] {
        ["enabled", "keepToken", "clientIds"]
            + (withSecret.contains(provider) ? ["clientSecret"] : [])
            + [provider.hasIDTokens ? "issuer" : "baseUrl"]
            + (provider == .wechat ? ["subject"] : [])
    }

    /// Reads one member of an app document's `providers`.
    ///
    /// A disabled provider can be incomplete.
    /// - Throws: `Rejection` with the field at fault.
    package static func parse(
        _ name: String,
        _ value: JSONValue
    ) throws(Rejection) -> ProviderSettings {
        let path = "providers.\(name)"
        guard let provider = ProviderName(rawValue: name) else {
            throw .invalid(path, "\(path) is not a provider; use oidc:… for others.")
        }
        guard let object = value.objectValue else {
            throw .invalid(path, "\(path) must be an object.")
        }
        var settings = ProviderSettings(
            provider: provider,
            isEnabled: try flag(object, "enabled", path: path),
            keepsToken: try flag(object, "keepToken", path: path),
            clientIDs: try clientIDs(object, path),
            clientSecret: try text(object, "clientSecret", path: path),
            baseURL: try url(object, provider.hasIDTokens ? "issuer" : "baseUrl", path: path)
        )
        if let word = try text(object, "subject", path: path) {
            guard let subject = Subject(rawValue: word) else {
                throw .invalid("\(path).subject", "\(path).subject must be openid or unionid.")
            }
            settings.subject = subject
        }
        if settings.isEnabled { try settings.checkComplete(path) }
        return settings
    }

    private func checkComplete(_ path: String) throws(Rejection) {
        guard !clientIDs.isEmpty else {
            throw .invalid("\(path).clientIds", "\(path).clientIds is needed: the app's ids there.")
        }
        guard !baseURL.isEmpty else {
            throw .invalid("\(path).issuer", "\(path).issuer is needed: the issuer's URL.")
        }
        guard Self.withSecret.contains(provider) else { return }
        guard clientIDs.count == 1 else {
            throw .invalid("\(path).clientIds", "\(path).clientIds must hold exactly one id.")
        }
        guard clientSecret != nil else {
            throw .invalid("\(path).clientSecret", "\(path).clientSecret is needed.")
        }
    }

    private static func flag(
        _ object: JSONObject,
        _ name: String,
        path: String
    ) throws(Rejection) -> Bool {
        guard let value = object[name] else { return false }
        guard let flag = value.boolValue else {
            throw .invalid("\(path).\(name)", "\(path).\(name) must be true or false.")
        }
        return flag
    }

    private static func text(
        _ object: JSONObject,
        _ name: String,
        path: String
    ) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, isPlain(text) else {
            throw .invalid(
                "\(path).\(name)",
                "\(path).\(name) must be 1 to 512 visible characters."
            )
        }
        return text
    }

    private static func clientIDs(
        _ object: JSONObject,
        _ path: String
    ) throws(Rejection) -> [String] {
        guard let value = object["clientIds"] else { return [] }
        let ids = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard ids.count == value.arrayValue?.count, (1...16).contains(ids.count),
            ids.allSatisfy(isPlain)
        else {
            throw .invalid("\(path).clientIds", "\(path).clientIds must be 1 to 16 texts.")
        }
        return ids
    }

    /// Returns a URL, which must be HTTPS unless it leads to this machine, since tokens and secrets
    /// are sent to it.
    private static func url(
        _ object: JSONObject,
        _ name: String,
        path: String
    ) throws(Rejection) -> String? {
        guard let url = try text(object, name, path: path) else { return nil }
        guard isSafeURL(url), !url.contains("?"), !url.contains("#") else {
            throw .invalid("\(path).\(name)", "\(path).\(name) must be an https:// address.")
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// Returns whether secrets may be sent to an address: over TLS, or to this machine.
    package static func isSafeURL(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return url.utf8.count > 8 }
        guard url.hasPrefix("http://") else { return false }
        let host = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && ["127.0.0.1", "localhost"].contains(parts[0])
            && (parts.count == 1 || UInt16(parts[1]) != nil)
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
