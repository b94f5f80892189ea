import JSON

/// An app's settings for an identity provider, read and checked from its `providers[name]` object.
package struct ProviderSettings: Sendable, Equatable {
    /// The kind of WeChat id that identifies a user.
    package enum Subject: String, Sendable, CaseIterable {
        /// The `openid`: WeChat's id for the user under one client id, returned at every login.
        case openID = "openid"
        /// The user's id that is the same in all apps of one WeChat developer account.
        case unionID = "unionid"
    }

    /// The provider.
    package let provider: ProviderName
    /// Whether users may log in with the provider.
    package var isEnabled: Bool
    /// Whether the service keeps access tokens so that the app can read them later.
    package var keepsToken: Bool
    /// The app's ids at the provider.
    ///
    /// Credentials that were issued for other ids are refused.
    package var clientIDs: [String]
    /// The app's secret at the provider.
    package var clientSecret: String?
    /// The root URL of the provider's API, or the issuer of its ID tokens, without a final slash.
    package var baseURL: String
    /// The kind of WeChat id that identifies a user.
    package var subject = Subject.openID

    /// Makes settings, with the provider's public URL if `baseURL` is nil.
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

    /// The default base URL of each provider.
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

    /// The providers that need the app's secret and exactly one client id.
    private static let withSecret: [ProviderName] = [.wechat, .facebook, .twitter]

    /// Returns the members that the settings of a provider may have in an app document.
    package static func members(of provider: ProviderName) -> [String] {
        ["enabled", "keepToken", "clientIds"]
            + (withSecret.contains(provider) ? ["clientSecret"] : [])
            + [provider.hasIDTokens ? "issuer" : "baseUrl"]
            + (provider == .wechat ? ["subject"] : [])
    }

    /// Parses one provider's settings from `providers` in an app document.
    ///
    /// The settings of a disabled provider can be incomplete.
    ///
    /// - Throws: `Rejection` that names the field at fault.
    package static func parse(_ name: String, in providers: Fields) throws(Rejection) -> ProviderSettings {
        guard let provider = ProviderName(rawValue: name) else {
            throw providers.refuse(name, "is not a provider; use oidc:… for others")
        }
        guard let fields = try providers.fields(name) else { throw providers.refuse(name, "must be an object") }
        var settings = ProviderSettings(
            provider: provider,
            isEnabled: try fields.bool("enabled") ?? false,
            keepsToken: try fields.bool("keepToken") ?? false,
            clientIDs: try fields.clientIDs(),
            clientSecret: try fields.visibleText("clientSecret"),
            baseURL: try fields.url(provider.hasIDTokens ? "issuer" : "baseUrl")
        )
        if let word = try fields.visibleText("subject") {
            guard let subject = Subject(rawValue: word) else {
                throw fields.refuse("subject", "must be openid or unionid")
            }
            settings.subject = subject
        }
        if settings.isEnabled { try settings.checkComplete(fields) }
        return settings
    }

    private func checkComplete(_ fields: Fields) throws(Rejection) {
        guard !clientIDs.isEmpty else { throw fields.refuse("clientIds", "is needed: the app's ids at the provider") }
        guard !baseURL.isEmpty else { throw fields.refuse("issuer", "is needed: the issuer's URL") }
        guard Self.withSecret.contains(provider) else { return }
        guard clientIDs.count == 1 else { throw fields.refuse("clientIds", "must contain exactly one id") }
        guard clientSecret != nil else { throw fields.refuse("clientSecret", "is needed") }
    }

    /// Returns whether secrets may be sent to a URL: the URL uses TLS or leads to this machine.
    package static func isSafeURL(_ url: String) -> Bool {
        if url.hasPrefix("https://") { return url.utf8.count > 8 }
        guard url.hasPrefix("http://") else { return false }
        let host = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let parts = host.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count <= 2 && ["127.0.0.1", "localhost"].contains(parts[0])
            && (parts.count == 1 || UInt16(parts[1]) != nil)
    }
}

/// Functions that read the members of a provider's settings, with the limits on their sizes.
extension Fields {
    func visibleText(_ name: String) throws(Rejection) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, Self.isVisible(text) else {
            throw refuse(name, "must be 1 to 512 visible characters")
        }
        return text
    }

    fileprivate func clientIDs() throws(Rejection) -> [String] {
        guard let value = object["clientIds"] else { return [] }
        let ids = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard ids.count == value.arrayValue?.count, (1...16).contains(ids.count), ids.allSatisfy(Self.isVisible) else {
            throw refuse("clientIds", "must be 1 to 16 texts")
        }
        return ids
    }

    /// Returns a URL that is safe for secrets: HTTPS, or HTTP on this machine.
    func url(_ name: String) throws(Rejection) -> String? {
        guard let url = try visibleText(name) else { return nil }
        guard ProviderSettings.isSafeURL(url), !url.contains("?"), !url.contains("#") else {
            throw refuse(name, "must be an https:// address")
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    private static func isVisible(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisible)
    }
}
