import Domain

/// The verification of credentials from WeChat, QQ, Weibo and Baidu.
extension TokenProvider {
    /// Verifies a code with `GET /sns/oauth2/access_token`, which needs the secret of the code's app.
    func weChat(_ code: String) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Body: Decodable {
            let errcode: Int?
            let access_token: String?
            let openid: String?
            let unionid: String?
        }
        let query = [
            ("appid", clientID), ("secret", clientSecret), ("code", code), ("grant_type", "authorization_code"),
        ]
        let answer = try await ask(.get(settings.baseURL + "/sns/oauth2/access_token", query))
        guard let body = answer.decode(Body.self) else { throw unusable("the provider's answer is malformed") }
        switch body.errcode ?? 0 {
        case 0: break
        // The code has been used.
        case 40163: throw .invalidCredential(.refused)
        // The code is unknown, belongs to another app, or is empty.
        case 40029, 41008: throw .invalidCredential(.refused)
        case 42003: throw .invalidCredential(.expired)
        case let error: throw unusable("the provider answered error \(error)")
        }
        let isUnion = settings.subject == .unionID
        let known = try identity(isUnion ? body.unionid : body.openid, accessToken: body.access_token)
        guard let token = body.access_token, let openid = body.openid else { return known }
        return await weChatProfile(known, token, openid: openid)
    }

    /// Verifies an access token with `GET /oauth2.0/me`, which returns the token's user and app.
    func qq(_ token: String, _ user: String?) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Body: Decodable {
            let error: LooseText?
            let client_id: LooseText?
            let openid: String?
        }
        let answer = try await ask(.get(settings.baseURL + "/oauth2.0/me", [("access_token", token), ("fmt", "json")]))
        // Older servers always answer `callback( {…} );`, so the JSON is taken out of the answer.
        let start = answer.body.firstIndex(of: UInt8(ascii: "{")) ?? 0
        let end = answer.body.lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? start
        let json = WebClient.Answer(status: answer.status, body: Array(answer.body[start..<end]))
        guard let body = json.decode(Body.self) else { throw unusable("the provider's answer is malformed") }
        switch body.error?.text {
        case nil: break
        case "100013", "100015", "100016", "100030": throw .invalidCredential(.refused)
        case "100014": throw .invalidCredential(.expired)
        case let error?: throw unusable("the provider answered error \(error.prefix(16))")
        }
        try check(app: body.client_id?.text, user: body.openid, isSaid: user)
        let identity = try identity(body.openid, accessToken: token)
        return await qqProfile(identity, token, app: body.client_id?.text ?? clientID)
    }

    /// Verifies an access token with `POST /oauth2/get_token_info`, which returns the user, app and remaining time.
    func weibo(_ token: String, _ user: String?) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Body: Decodable {
            let error_code: Int?
            let uid: LooseText?
            let appkey: LooseText?
            let expire_in: Int?
        }
        let answer = try await ask(.post(settings.baseURL + "/oauth2/get_token_info", form: [("access_token", token)]))
        guard let body = answer.decode(Body.self) else { throw unusable("the provider's answer is malformed") }
        switch body.error_code {
        case nil: break
        case 21315, 21327: throw .invalidCredential(.expired)
        case 21314, 21316, 21317, 21319, 21332, 21501: throw .invalidCredential(.refused)
        case let error?: throw unusable("the provider answered error \(error)")
        }
        try check(app: body.appkey?.text, user: body.uid?.text, isSaid: user)
        guard let seconds = body.expire_in, seconds > 0 else { throw .invalidCredential(.expired) }
        return await weiboProfile(try identity(body.uid?.text, accessToken: token), token)
    }

    /// Verifies an access token with `GET /oauth/2.0/tokeninfo`, which returns the app, and `…/passport/users/getInfo`,
    /// which returns the user.
    func baidu(_ token: String) async throws(ProviderFailure) -> VerifiedIdentity {
        struct Info: Decodable {
            let error: String?
            let client_id: LooseText?
            let expires_in: Int?
            // The example in Baidu's documentation calls the remaining time `expire_in`.
            let expire_in: Int?
        }
        struct User: Decodable {
            let error_code: LooseText?
            let openid: String?
            let userid: LooseText?
            let username: String?
            let portrait: String?
        }
        let query = [("access_token", token)]
        let first = try await ask(.get(settings.baseURL + "/oauth/2.0/tokeninfo", query))
        guard let info = first.decode(Info.self) else { throw unusable("the provider's answer is malformed") }
        switch info.error {
        case nil: break
        case "invalid_grant", "invalid_token": throw .invalidCredential(.refused)
        case "expired_token": throw .invalidCredential(.expired)
        default: throw unusable("the provider answered with an unknown error")
        }
        try check(app: info.client_id?.text)
        if let seconds = info.expires_in ?? info.expire_in, seconds <= 0 { throw .invalidCredential(.expired) }
        let second = try await ask(.get(settings.baseURL + "/rest/2.0/passport/users/getInfo", query))
        guard let user = second.decode(User.self) else { throw unusable("the provider's answer is malformed") }
        switch user.error_code?.text {
        case nil, "0": break
        case "100", "110": throw .invalidCredential(.refused)
        case "111": throw .invalidCredential(.expired)
        case let error?: throw unusable("the provider answered error \(error.prefix(16))")
        }
        // Apps that were registered before 2019 get no `openid`.
        return try identity(
            user.openid ?? user.userid?.text,
            accessToken: token,
            nickname: user.username,
            avatarURL: user.portrait.flatMap(Self.baiduPicture)
        )
    }

    private static func baiduPicture(_ portrait: String) -> String? {
        guard !portrait.isEmpty, portrait.utf8.count <= ProviderCredential.idMax else { return nil }
        let name = WebQuery.encode(portrait)
        return "https://himg.bdimg.com/sys/portrait/item/\(name)"
    }
}
