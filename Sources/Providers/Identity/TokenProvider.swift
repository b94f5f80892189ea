import Domain

/// The requests to providers that verify their own codes and tokens.
///
/// `verify` asks the provider's documented endpoint for the credential's user. `verify` also checks that the credential
/// was issued for this app. The error is `invalidCredential` if the provider rejects the credential. Problems with the
/// app's own settings are logged for the operator.
struct TokenProvider: Sendable {
    let line: ProviderLine
    let settings: ProviderSettings
    let deadline: ContinuousClock.Instant
    /// The present time, in seconds since 1970.
    let now: Int64

    func verify(_ credential: ProviderCredential) async throws(ProviderFailure) -> VerifiedIdentity {
        switch (settings.provider, credential.proof) {
        case (.wechat, .code(let code)): try await weChat(code)
        case (.qq, .accessToken(let token, let user)): try await qq(token, user)
        case (.facebook, .accessToken(let token, _)): try await facebook(token)
        case (.twitter, .signingKey(let key, let secret)): try await twitter(key, secret)
        case (.weibo, .accessToken(let token, let user)): try await weibo(token, user)
        case (.baidu, .accessToken(let token, _)): try await baidu(token)
        default: throw .invalidCredential(.malformed)
        }
    }

    func ask(_ request: WebClient.Request) async throws(ProviderFailure) -> WebClient.Answer {
        try await line.call(settings, request, until: deadline)
    }

    /// Logs and returns the error for a provider that refuses the app or gives an unexpected answer.
    func unusable(_ problem: String) -> ProviderFailure { line.unusable(settings, problem) }

    /// The first of the app's ids at the provider.
    ///
    /// If the provider needs the app's secret, the settings contain exactly one id.
    var clientID: String { settings.clientIDs.first ?? "" }

    var clientSecret: String { settings.clientSecret ?? "" }

    /// Refuses a token if it was issued for another app, or if the login request names a user other than the token's.
    func check(
        app: String?,
        user: String? = nil,
        isSaid said: String? = nil
    ) throws(ProviderFailure) {
        guard let app, settings.clientIDs.contains(app) else { throw .invalidCredential(.otherApp) }
        if let said, said != user { throw .invalidCredential(.otherUser) }
    }

    func identity(
        _ subject: String?,
        accessToken: String?,
        nickname: String? = nil,
        avatarURL: String? = nil
    ) throws(ProviderFailure) -> VerifiedIdentity {
        guard let subject, (1...ProviderCredential.idMax).contains(subject.utf8.count),
            subject.utf8.allSatisfy(\.isVisible)
        else { throw unusable("the provider returned no user") }
        return VerifiedIdentity(
            provider: settings.provider,
            subject: subject,
            accessToken: settings.keepsToken ? accessToken : nil,
            nickname: nickname,
            avatarURL: avatarURL
        )
    }
}
