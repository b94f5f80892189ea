import Domain
import JSON
import Providers
import TestKit
import Testing

@Suite("Providers that verify codes and tokens", .endsInTime)
struct TokenProviderTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let provider: String
        let name: String
        var credential: JSONObject = [:]
        let answers: [String: Say]
        let verdict: Verdict

        var testDescription: String { "\(provider): \(name)" }
    }

    static let refused = Verdict.failure(.invalidCredential(.refused))
    static let expired = Verdict.failure(.invalidCredential(.expired))
    static let otherApp = Verdict.failure(.invalidCredential(.otherApp))
    static let otherUser = Verdict.failure(.invalidCredential(.otherUser))
    static let misconfigured = Verdict.failure(.unavailable(retryAfter: 60, because: ""))
    static let down = Verdict.failure(.unavailable(retryAfter: 5, because: ""))

    static func weChat(_ name: String, _ body: JSONValue, _ verdict: Verdict) -> Case {
        Case(
            provider: "wechat",
            name: name,
            credential: ["code": "c0de"],
            answers: ["/sns/oauth2/access_token": .json(body)],
            verdict: verdict
        )
    }

    static func qq(_ name: String, _ body: String, _ verdict: Verdict) -> Case {
        Case(
            provider: "qq",
            name: name,
            credential: ["userId": "U1", "accessToken": "t0ken"],
            answers: ["/oauth2.0/me": Say(body: body)],
            verdict: verdict
        )
    }

    static func facebook(_ name: String, _ say: Say, _ verdict: Verdict) -> Case {
        Case(
            provider: "facebook",
            name: name,
            credential: ["accessToken": "t0ken"],
            answers: ["/debug_token": say],
            verdict: verdict
        )
    }

    static func twitter(_ name: String, _ say: Say, _ verdict: Verdict) -> Case {
        Case(
            provider: "twitter",
            name: name,
            credential: ["key": "k3y", "secret": "s3cret"],
            answers: ["/1.1/account/verify_credentials.json": say],
            verdict: verdict
        )
    }

    static func weibo(_ name: String, _ say: Say, _ verdict: Verdict) -> Case {
        Case(
            provider: "weibo",
            name: name,
            credential: ["uid": "1073880650", "accessToken": "t0ken"],
            answers: ["/oauth2/get_token_info": say],
            verdict: verdict
        )
    }

    static func baidu(_ name: String, _ info: Say, _ user: JSONValue, _ verdict: Verdict) -> Case {
        Case(
            provider: "baidu",
            name: name,
            credential: ["accessToken": "t0ken"],
            answers: [
                "/oauth/2.0/tokeninfo": info,
                "/rest/2.0/passport/users/getInfo": .json(user),
            ],
            verdict: verdict
        )
    }

    static let china: [Case] = [
        weChat(
            "a good code",
            ["access_token": "A", "expires_in": 7200, "openid": "O1", "unionid": "N1"],
            .subject("O1")
        ),
        weChat("an unknown code", ["errcode": 40029, "errmsg": "invalid code"], refused),
        weChat("a used code", ["errcode": 40163, "errmsg": "code been used"], refused),
        weChat("a wrong app secret", ["errcode": 40125, "errmsg": "x"], misconfigured),
        weChat("busy", ["errcode": -1, "errmsg": "system error"], misconfigured),
        weChat("no openid", ["access_token": "A"], misconfigured),
        qq("a good token", #"{"client_id":"app","openid":"U1"}"#, .subject("U1")),
        qq("the old form", #"callback( {"client_id":"app","openid":"U1"} );"#, .subject("U1")),
        qq("another app's", #"{"client_id":"evil","openid":"U1"}"#, otherApp),
        qq("another user's", #"{"client_id":"app","openid":"U2"}"#, otherUser),
        qq("no app", #"{"openid":"U1"}"#, otherApp),
        qq("expired", #"{"error":100014,"error_description":"x"}"#, expired),
        qq("unknown", #"callback( {"error":100016,"error_description":"x"} );"#, refused),
        qq("no JSON", "<html>", misconfigured),
        qq("nothing", "", misconfigured),
        weibo(
            "a good token",
            .json(["uid": 1_073_880_650, "appkey": "app", "expire_in": 157_679_471]),
            .subject("1073880650")
        ), weibo("another app's", .json(["uid": 1_073_880_650, "appkey": "evil", "expire_in": 100]), otherApp),
        weibo("another user's", .json(["uid": 1, "appkey": "app", "expire_in": 100]), otherUser),
        weibo("no time left", .json(["uid": 1_073_880_650, "appkey": "app", "expire_in": 0]), expired),
        weibo("expired", .json(["error": "expired_token", "error_code": 21327], status: 401), expired),
        weibo("unknown", .json(["error": "invalid", "error_code": 21332], status: 403), refused),
        weibo("down", .json([:], status: 502), down),
        baidu(
            "a good token",
            .json(["client_id": "app", "userid": 689_911_016, "expire_in": 2_591_980]),
            ["openid": "B1", "username": "u***r"],
            .subject("B1")
        ),
        baidu("without openid", .json(["client_id": "app"]), ["userid": "77"], .subject("77")),
        baidu("another app's", .json(["client_id": "evil"]), ["openid": "B1"], otherApp),
        baidu("unknown", .json(["error": "invalid_grant"], status: 400), [:], refused),
        baidu("ended meanwhile", .json(["client_id": "app"]), ["error_code": 111], expired),
    ]

    static let world: [Case] = [
        facebook(
            "a good token",
            .json(["data": ["app_id": "app", "type": "USER", "is_valid": true, "user_id": "F1", "expires_at": 0]]),
            .subject("F1")
        ), facebook("another app's", .json(["data": ["app_id": "evil", "is_valid": true, "user_id": "F1"]]), otherApp),
        facebook(
            "expired",
            .json(["data": ["app_id": "app", "is_valid": false, "user_id": "F1", "expires_at": 1_700_000_000]]),
            expired
        ), facebook("unknown", .json(["data": ["error": ["code": 190], "is_valid": false, "scopes": []]]), refused),
        facebook(
            "a page's",
            .json(["data": ["app_id": "app", "type": "PAGE", "is_valid": true, "user_id": "F1"]]),
            refused
        ), facebook("a wrong app secret", .json(["error": ["code": 190]], status: 400), misconfigured),
        facebook("down", Say(status: 500), down), facebook("too many calls", Say(status: 429), down),
        facebook("a redirect", Say(status: 302), down),
        facebook("endless", Say(body: String(repeating: "x", count: 300_000)), down),
        twitter(
            "a good token",
            Say(body: #"{"id":1234567890123456789,"id_str":"1234567890123456789","name":"n"}"#),
            .subject("1234567890123456789")
        ),
        twitter("unknown", .json(["errors": [["code": 89]]], status: 401), refused),
        twitter("another app's", .json(["errors": [["code": 32]]], status: 401), refused),
        twitter("no rights", .json(["errors": [["code": 453]]], status: 403), misconfigured),
    ]

    @Test("Each answer has the meaning that the provider's documentation gives it", arguments: china + world)
    func table(
        row: Case
    ) async throws {
        let name = try #require(ProviderName(rawValue: row.provider))
        let credential = try ProviderCredential.parse(provider: row.provider, credential: row.credential)

        let verdict = try await withServer { ask in
            row.answers[ask.path] ?? Say(status: 404)
        } _: { url, _ in
            let settings = ProviderSettings(
                provider: name,
                clientIDs: ["app"],
                clientSecret: "app-secret",
                baseURL: url
            )
            return try await withProviders { await $0.verdict(credential, settings) }
        }

        #expect(verdict == row.verdict)
    }

    @Test("WeChat gets the app's id and secret, and can identify users by unionid")

    func weChatUnion() async throws {
        let credential = try ProviderCredential.parse(provider: "wechat", credential: ["code": "c&d"])

        let (identity, asks) = try await withServer { _ in
            .json(["access_token": "A", "openid": "O1", "unionid": "N1"])
        } _: { url, asked in
            var settings = ProviderSettings(
                provider: .wechat,
                keepsToken: true,
                clientIDs: ["app"],
                clientSecret: "app-secret",
                baseURL: url
            )
            settings.subject = .unionID
            let app = settings
            return (try await withProviders { try await $0.verify(credential, for: app) }, asked.all)
        }

        #expect(identity.subject == "N1")
        #expect(identity.accessToken == "A")
        #expect(asks.first?.query["appid"] == "app")
        #expect(asks.first?.query["secret"] == "app-secret")
        #expect(asks.first?.query["grant_type"] == "authorization_code")
        #expect(asks.first?.query["code"] == "c&d" || asks.first?.query["code"] == "c%26d")
    }

    @Test("A provider that is disabled, or that the settings aren't for, is not contacted")
    func off() async throws {
        let credential = try ProviderCredential.parse(provider: "wechat", credential: ["code": "c"])
        let off = ProviderSettings(provider: .wechat, isEnabled: false, clientIDs: ["app"])
        let other = ProviderSettings(provider: .facebook, clientIDs: ["app"])

        try await withProviders { providers in
            for settings in [off, other] {
                #expect(await providers.verdict(credential, settings) == .failure(.disabled))
            }
        }
    }

    @Test("A provider that hangs is not contacted for a while, and the others continue") func hanging() async throws {
        let credential = try ProviderCredential.parse(provider: "facebook", credential: ["accessToken": "t0ken"])
        let qq = try ProviderCredential.parse(provider: "qq", credential: ["userId": "U1", "accessToken": "t0ken"])
        var limits = IdentityProviders.Limits()
        limits.timeout = .seconds(2)
        limits.failuresMax = 3
        let bounds = limits

        try await withServer { ask in
            guard ask.path == "/oauth2.0/me" else { return try await hang(ask) }
            return Say(body: #"{"client_id":"app","openid":"U1"}"#)
        } _: { url, asked in
            let hanging = ProviderSettings(provider: .facebook, clientIDs: ["app"], clientSecret: "s", baseURL: url)
            let other = ProviderSettings(provider: .qq, clientIDs: ["app"], baseURL: url)
            try await withProviders(bounds) { providers in
                for _ in 0..<3 { #expect(await providers.verdict(credential, hanging) == Self.down) }
                let began = ContinuousClock.now
                guard
                    case .failure(.unavailable(let seconds, _)) =
                        await providers.verdict(credential, hanging)
                else {
                    Issue.record("it was asked again")
                    return
                }
                #expect((25...31).contains(seconds))
                #expect(ContinuousClock.now - began < bounds.timeout)
                #expect(asked.count("/debug_token") == 3)
                #expect(await providers.verdict(qq, other) == .subject("U1"))
            }
        }
    }
}
