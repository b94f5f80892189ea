import Domain
import JSON
import Testing

@Suite("Credentials and settings of identity providers")
struct CredentialTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let provider: String
        let credential: JSONObject
        /// The field that the refusal names, or nil if the credential is accepted.
        let field: String?

        var testDescription: String { "\(provider) \(field ?? "is taken")" }
    }

    @Test(
        "A credential is accepted only in its provider's form",
        arguments: [
            Case(provider: "wechat", credential: ["code": "c"], field: nil),
            Case(provider: "wechat", credential: [:], field: "params.credential.code"),
            Case(provider: "wechat", credential: ["code": 1], field: "params.credential.code"),
            Case(provider: "wechat", credential: ["code": "a\nb"], field: "params.credential.code"),
            Case(provider: "qq", credential: ["userId": "u", "accessToken": "t"], field: nil),
            Case(
                provider: "qq",
                credential: ["accessToken": "t"],
                field: "params.credential.userId"
            ),
            Case(provider: "weibo", credential: ["uid": 10738, "accessToken": "t"], field: nil),
            Case(provider: "facebook", credential: ["accessToken": "t"], field: nil),
            Case(
                provider: "baidu",
                credential: ["accessToken": .string(String(repeating: "x", count: 20_000))],
                field: "params.credential.accessToken"
            ),
            Case(provider: "twitter", credential: ["key": "k", "secret": "s"], field: nil),
            Case(provider: "twitter", credential: ["key": "k"], field: "params.credential.secret"),
            Case(provider: "apple", credential: ["identityToken": "a.b.c"], field: nil),
            Case(provider: "google", credential: ["identityToken": "a.b.c"], field: nil),
            Case(provider: "oidc:staff", credential: ["identityToken": "a.b.c"], field: nil),
            Case(provider: "oidc:", credential: ["identityToken": "a"], field: "params.provider"),
            Case(
                provider: "oidc:a/b",
                credential: ["identityToken": "a"],
                field: "params.provider"
            ),
            Case(provider: "myspace", credential: [:], field: "params.provider"),
            Case(
                provider: "auth2",
                credential: ["type": "ap", "accessToken": "a.b.c", "extraInfo": ["nickname": "n"]],
                field: nil
            ),
            Case(
                provider: "auth2",
                credential: ["type": "xx", "accessToken": "a.b.c"],
                field: "params.credential.type"
            ),
            Case(
                provider: "auth2",
                credential: ["type": "ap", "accessToken": "a.b.c", "extraInfo": 1],
                field: "params.credential.extraInfo"
            ),
        ]
    )
    func credentials(row: Case) {
        let outcome = Result { () throws(Rejection) in
            try ProviderCredential.parse(provider: row.provider, credential: row.credential)
        }

        switch outcome {
        case .success: #expect(row.field == nil)
        case .failure(let rejection): #expect(rejection.field == row.field)
        }
    }

    @Test("auth2 of type ap is an alias for Apple")
    func auth2() throws {
        let one = try ProviderCredential.parse(
            provider: "auth2",
            credential: [
                "type": "ap", "accessToken": "a.b.c",
                "extraInfo": ["userIdentifier": "u", "nickname": "n", "email": "e@x.test"],
            ]
        )
        let other = try ProviderCredential.parse(
            provider: "apple",
            credential: ["identityToken": "a.b.c", "userIdentifier": "u", "nickname": "n"]
        )

        #expect(one == other)
    }

    @Test(
        "Unusable settings are refused with the path",
        arguments: [
            ("myspace", ["enabled": true], "providers.myspace"),
            ("qq", true, "providers.qq"),
            ("qq", ["enabled": "yes"], "providers.qq.enabled"),
            ("qq", ["enabled": true], "providers.qq.clientIds"),
            ("qq", ["clientIds": [1]], "providers.qq.clientIds"),
            ("wechat", ["enabled": true, "clientIds": ["a"]], "providers.wechat.clientSecret"),
            (
                "wechat", ["enabled": true, "clientIds": ["a", "b"], "clientSecret": "s"],
                "providers.wechat.clientIds"
            ),
            ("oidc:x", ["enabled": true, "clientIds": ["a"]], "providers.oidc:x.issuer"),
            ("qq", ["baseUrl": "http://graph.qq.com"], "providers.qq.baseUrl"),
            ("qq", ["baseUrl": "http://localhost.evil.test"], "providers.qq.baseUrl"),
            ("qq", ["baseUrl": "http://localhost:80@evil.test"], "providers.qq.baseUrl"),
            ("qq", ["baseUrl": "https://a/?b"], "providers.qq.baseUrl"),
            ("wechat", ["subject": "name"], "providers.wechat.subject"),
        ] as [(String, JSONValue, String)]
    )
    func settings(name: String, value: JSONValue, field: String) {
        let rejection = #expect(throws: Rejection.self) {
            _ = try Self.parse(name, value)
        }

        #expect(rejection?.field == field)
    }

    private static func parse(_ name: String, _ value: JSONValue) throws -> ProviderSettings {
        try ProviderSettings.parse(name, in: Fields([name: value], path: "providers."))
    }

    @Test("Settings use the provider's public address unless they name another")
    func addresses() throws {
        let plain = try Self.parse("qq", ["enabled": true, "clientIds": ["a"]])
        let own = try Self.parse("apple", ["issuer": "https://idp.test/"])

        #expect(plain.baseURL == "https://graph.qq.com")
        #expect(own.baseURL == "https://idp.test")
        #expect(!own.isEnabled)
    }
}
