import Domain
import JSON
import Providers
import TestKit
import Testing

@Suite("Profiles from providers that verify codes and tokens", .endsInTime) struct TokenProviderProfileTests {
    struct Shown: CustomTestStringConvertible, Sendable {
        let provider: String
        let credential: JSONObject
        let verified: [String: Say]
        let path: String
        let profile: JSONValue
        let nickname: String
        let picture: String

        var testDescription: String { provider }
    }

    static let shown: [Shown] = [
        Shown(
            provider: "wechat",
            credential: ["code": "c0de"],
            verified: ["/sns/oauth2/access_token": .json(["access_token": "A", "openid": "O1"])],
            path: "/sns/userinfo",
            profile: ["nickname": "Lena", "headimgurl": "https://thirdwx.qlogo.cn/x/46"],
            nickname: "Lena",
            picture: "https://thirdwx.qlogo.cn/x/46"
        ),
        Shown(
            provider: "qq",
            credential: ["userId": "U1", "accessToken": "t0ken"],
            verified: ["/oauth2.0/me": Say(body: #"{"client_id":"app","openid":"U1"}"#)],
            path: "/user/get_user_info",
            profile: [
                "ret": 0, "nickname": "Lena", "figureurl_qq_1": "http://thirdqq.qlogo.cn/40", "figureurl_qq_2": "",
            ],
            nickname: "Lena",
            picture: "http://thirdqq.qlogo.cn/40"
        ),
        Shown(
            provider: "weibo",
            credential: ["uid": "7", "accessToken": "t0ken"],
            verified: ["/oauth2/get_token_info": .json(["uid": 7, "appkey": "app", "expire_in": 100])],
            path: "/2/users/show.json",
            profile: ["screen_name": "Lena", "avatar_large": "https://tvax.sinaimg.cn/x.jpg"],
            nickname: "Lena",
            picture: "https://tvax.sinaimg.cn/x.jpg"
        ),
        Shown(
            provider: "facebook",
            credential: ["accessToken": "t0ken"],
            verified: [
                "/debug_token": .json(["data": ["app_id": "app", "type": "USER", "is_valid": true, "user_id": "F1"]])
            ],
            path: "/me",
            profile: [
                "id": "F1", "name": "Lena",
                "picture": ["data": ["url": "https://fbsbx.com/x", "is_silhouette": false]],
            ],
            nickname: "Lena",
            picture: "https://fbsbx.com/x"
        ),
    ]

    private func verify(
        _ row: Shown,
        _ profile: @escaping @Sendable (ReceivedRequest) async throws -> Say
    ) async throws -> VerifiedIdentity {
        let name = try #require(ProviderName(rawValue: row.provider))
        let credential = try ProviderCredential.parse(provider: row.provider, credential: row.credential)
        return try await withServer { ask in
            if ask.path == row.path { return try await profile(ask) }
            return row.verified[ask.path] ?? Say(status: 404)
        } _: { url, _ in
            let settings = ProviderSettings(
                provider: name,
                clientIDs: ["app"],
                clientSecret: "app-secret",
                baseURL: url
            )
            return try await withProviders { try await $0.verify(credential, for: settings) }
        }
    }

    @Test("Each provider's profile yields a name and a picture", arguments: shown)
    func profile(row: Shown) async throws {
        let identity = try await verify(row) { _ in .json(row.profile) }
        #expect(identity.nickname == row.nickname && identity.avatarURL == row.picture)
    }

    @Test("A profile that is missing, slow or malformed doesn't fail the login", arguments: shown) func withoutProfile(
        row: Shown
    ) async throws {
        let odd: [@Sendable (ReceivedRequest) async throws -> Say] = [
            { _ in Say(status: 500) }, { _ in Say(status: 403, body: "<html>") },
            { _ in .json(["errcode": 40001, "ret": 1002]) }, hang,
        ]
        for answer in odd {
            let identity = try await verify(row, answer)
            #expect(!identity.subject.isEmpty)
            #expect(identity.nickname == nil && identity.avatarURL == nil)
        }
    }

    @Test("Control characters and unusual URLs in a profile are dropped") func shownForms() {
        #expect(VerifiedIdentity.shown(nickname: " \u{7}Le\u{0}na") == "Lena")
        #expect(VerifiedIdentity.shown(nickname: "  ") == nil)
        let long = String(repeating: "\u{1F600}", count: 70)
        #expect(VerifiedIdentity.shown(nickname: long)?.unicodeScalars.count == 64)
        for bad in [
            "javascript:alert(1)", "data:image/png;base64,x", "https://", "https://a b.c/d",
        ] {
            #expect(VerifiedIdentity.shown(picture: bad) == nil, "\(bad)")
        }
        #expect(VerifiedIdentity.shown(picture: "https://a.b/c") == "https://a.b/c")
    }
}
