import Domain
import Providers
import Synchronization
import TestKit
import Testing

@Suite("Testing a provider", .endsInTime)
struct TrialTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var provider: ProviderName
        /// The server's answers by path; in a body, the server replaces `URL` with its own URL.
        var answers: [String: Say] = [:]
        /// The expected reason why the provider doesn't work, or nil if it works.
        var reason: String?

        var testDescription: String { "\(provider): \(reason ?? "works")" }
    }

    private static let discovery = "/.well-known/openid-configuration"
    private static let key = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"k","use":"sig",\
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
        """

    static let rows = [
        Case(
            provider: .google,
            answers: [discovery: Say(body: #"{"issuer":"URL","jwks_uri":"URL/keys"}"#), "/keys": Say(body: key)]
        ),
        Case(
            provider: .google,
            answers: [
                discovery: Say(body: #"{"issuer":"URL","jwks_uri":"URL/keys"}"#), "/keys": Say(body: #"{"keys":[]}"#),
            ],
            reason: "the issuer publishes no key that can be used"
        ),
        Case(
            provider: .google,
            answers: [discovery: Say(body: #"{"issuer":"https://a.test","jwks_uri":"URL/keys"}"#)],
            reason: "the discovery document is for another issuer"
        ),
        Case(
            provider: .google,
            answers: [discovery: Say(status: 503)],
            reason: "the provider answered 503"
        ),
        Case(
            provider: .google,
            answers: [discovery: Say(status: 404)],
            reason: "the issuer answered 404 to a request for its keys"
        ), Case(provider: .wechat, answers: ["/sns/oauth2/access_token": Say(body: #"{"errcode":40029}"#)]),
        Case(
            provider: .wechat,
            answers: ["/sns/oauth2/access_token": Say(body: #"{"errcode":40125}"#)],
            reason: "the provider answered error 40125"
        ),
        Case(
            provider: .qq,
            answers: ["/oauth2.0/me": Say(body: #"{"error":100016}"#)]
        ),
        Case(
            provider: .qq,
            answers: ["/oauth2.0/me": Say(body: "nothing of it")],
            reason: "the provider's answer is malformed"
        ),
    ]

    @Test("The test says whether the provider works for the app, and otherwise the reason", arguments: rows)
    func outcome(row: Case) async throws {
        let place = ServerPlace()
        try await withServer { asked in
            var say = row.answers[asked.path] ?? Say(status: 404)
            say.body = say.body.replacing("URL", with: place.url)
            return say
        } _: { url, _ in
            place.url = url
            let settings = ProviderSettings(
                provider: row.provider,
                clientIDs: ["app"],
                clientSecret: "secret",
                baseURL: url
            )
            try await withProviders { providers in #expect(await reason(providers, settings) == row.reason) }
        }
    }

    @Test("The test contacts a provider even if its failures make logins fail at once")
    func breaker() async throws {
        try await withServer { _ in
            Say(status: 503)
        } _: { url, asked in
            let settings = ProviderSettings(provider: .google, clientIDs: ["app"], baseURL: url)
            try await withProviders { providers in
                for _ in 0..<10 {
                    #expect(await reason(providers, settings) == "the provider answered 503")
                }
                #expect(asked.all.count == 10)
            }
        }
    }

    private func reason(_ providers: IdentityProviders, _ settings: ProviderSettings) async -> String? {
        do {
            try await providers.examine(settings)
            return nil
        } catch {
            guard case .unavailable(_, let reason) = error else { return "\(error)" }
            return reason
        }
    }
}

/// The URL of a test's server, which the server puts into its answers.
private final class ServerPlace: Sendable {
    private let text = Mutex("")

    var url: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}
