import Crypto
import Domain
import Foundation
import JSON
import Providers
import Sodium
import Synchronization
import TestKit
import Testing

@Suite("ID tokens", .endsInTime)
struct IDTokenTests {
    private static let now: Int64 = 1_800_000_000

    private static func claims(_ issuer: String, _ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": "app", "sub": "S1", "exp": .integer(now + 600), "iat": .integer(now),
        ]
        for member in changes.members { claims[member.key] = member.value }
        return claims
    }

    private static func credential(
        _ token: String,
        provider: String = "oidc:staff",
        _ more: JSONObject = [:]
    ) throws -> ProviderCredential {
        var fields: JSONObject = ["identityToken": .string(token)]
        for member in more.members { fields[member.key] = member.value }
        return try ProviderCredential.parse(provider: provider, credential: fields)
    }

    private static func settings(
        _ url: String,
        provider: String = "oidc:staff"
    ) throws
        -> ProviderSettings
    {
        ProviderSettings(
            provider: try #require(ProviderName(rawValue: provider)),
            clientIDs: ["app", "web"],
            baseURL: url
        )
    }

    /// Calls `body` while an issuer with a key of each kind is running.
    private func withIssuer<R: Sendable>(
        _ body:
            @escaping @Sendable (Issuer, String, IdentityProviders, Asked) async throws -> R
    ) async throws -> R {
        let issuer = Issuer(keys: ["ec": Issuer.elliptic(), "rsa": try Issuer.rsa()])
        let place = Place()
        return try await withServer { ask in
            issuer.answer(ask, at: place.url)
        } _: { url, asked in
            place.url = url
            return try await withProviders(clock: { Self.now }) { providers in
                try await body(issuer, url, providers, asked)
            }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var changes: JSONObject = [:]
        var more: JSONObject = [:]
        let verdict: Verdict

        init(
            _ name: String,
            _ changes: JSONObject = [:],
            with more: JSONObject = [:],
            _ verdict: Verdict = .subject("S1")
        ) {
            testDescription = name
            self.changes = changes
            self.more = more
            self.verdict = verdict
        }
    }

    private static func failed(_ reason: ProviderFailure.Reason) -> Verdict { .failure(.invalidCredential(reason)) }

    static let rows: [Case] = [
        Case("as it should be"),
        Case("for one of several ids", ["aud": "web"]),
        Case("for several, at our wish", ["aud": ["app", "api"], "azp": "app"]),
        Case(
            "for several, at another's wish",
            ["aud": ["app", "api"], "azp": "evil"],
            failed(.otherApp)
        ),
        Case(
            "for several, without a requesting party",
            ["aud": ["app", "api"]],
            failed(.otherApp)
        ),
        Case("for another app", ["aud": "evil"], failed(.otherApp)),
        Case("without an audience", ["aud": .null], failed(.malformed)),
        Case("from another issuer", ["iss": "https://evil.test"], failed(.otherIssuer)),
        Case("just past its time", ["exp": .integer(now - 30)]),
        Case("past its time", ["exp": .integer(now - 61)], failed(.expired)),
        Case("without an end", ["exp": .null], failed(.malformed)),
        Case("before its time", ["nbf": .integer(now + 120)], failed(.refused)),
        Case("without a user", ["sub": .null], failed(.malformed)),
        Case("with the nonce", ["nonce": "n1"], with: ["nonce": "n1"]),
        Case("with another nonce", ["nonce": "n2"], with: ["nonce": "n1"], failed(.nonce)),
        Case("without the nonce", with: ["nonce": "n1"], failed(.nonce)),
    ]

    @Test("Issuer, audience, time, nonce and user are verified", arguments: rows)
    func claims(row: Case) async throws {
        let verdict = try await withIssuer { issuer, url, providers, _ in
            let token = try issuer.token(Self.claims(url, row.changes), key: "ec")
            return await providers.verdict(try Self.credential(token, row.more), try Self.settings(url))
        }

        #expect(verdict == row.verdict)
    }

    @Test("Both kinds of keys verify, and the issuer's claims about the user are read")
    func keys() async throws {
        try await withIssuer { issuer, url, providers, asked in
            let more: JSONObject = ["email": "a@x.test", "email_verified": "true", "name": "Ann"]
            for key in ["ec", "rsa"] {
                let token = try issuer.token(Self.claims(url, more), key: key)
                let identity = try await providers.verify(Self.credential(token), for: Self.settings(url))
                #expect(identity.subject == "S1")
                #expect(identity.email == "a@x.test")
                #expect(identity.nickname == "Ann")
                #expect(identity.accessToken == nil)
            }
            #expect(asked.count("/keys") == 1)
        }
    }

    @Test("A signature that isn't the issuer's is refused, whatever the header claims")
    func forged() async throws {
        try await withIssuer { issuer, url, providers, _ in
            let settings = try Self.settings(url)
            let good = try issuer.token(Self.claims(url), key: "ec")
            let thief = Issuer(keys: ["ec": Issuer.elliptic(), "rsa": try Issuer.rsa()])
            let parts = good.split(separator: ".")
            let victim = base64URL(Self.claims(url, ["sub": "S2"]).encoded())
            let none = base64URL(JSONObject(dictionaryLiteral: ("alg", "none")).encoded())
            let hmac = base64URL(
                JSONObject(dictionaryLiteral: ("alg", "HS256"), ("kid", "rsa")).encoded()
            )
            let code = HMAC<SHA256>
                .authenticationCode(
                    for: Data("\(hmac).\(victim)".utf8),
                    using: SymmetricKey(data: Data("rsa".utf8))
                )

            for (name, token) in [
                ("a stranger's key", try thief.token(Self.claims(url), key: "ec")),
                ("a stranger's RSA key", try thief.token(Self.claims(url), key: "rsa")),
                ("other claims", "\(parts[0]).\(victim).\(parts[2])"), ("no algorithm", "\(none).\(victim)."),
                ("no algorithm, some signature", "\(none).\(victim).AA"),
                ("HMAC with a public key", "\(hmac).\(victim).\(base64URL(code))"),
                (
                    "a key of another kind",
                    try issuer.token(Self.claims(url), key: "ec", named: "rsa")
                ),
                (
                    "an algorithm of another key",
                    try issuer.token(Self.claims(url), key: "rsa", algorithm: "RS512")
                ),
                ("an unknown key", try issuer.token(Self.claims(url), key: "ec", named: "x")),
                ("no token", "abc"), ("no signature", "\(parts[0]).\(parts[1])."),
            ] {
                let verdict = await providers.verdict(try Self.credential(token), settings)
                #expect(verdict == Self.failed(.refused) || verdict == Self.failed(.malformed), "\(name)")
            }
            // After these bad tokens, the service must still accept good tokens signed with the same keys.
            for key in ["ec", "rsa"] {
                let token = try issuer.token(Self.claims(url), key: key)
                #expect(await providers.verdict(try Self.credential(token), settings) == .subject("S1"))
            }
        }
    }

    @Test("Apple's user id must be the token's, and the nonce can be hashed")
    func apple() async throws {
        try await withIssuer { issuer, url, providers, _ in
            let settings = try Self.settings(url, provider: "apple")
            let hash = Sodium.sha256("n1".utf8)
                .map { String(format: "%02x", $0) }
                .joined()
            let token = try issuer.token(Self.claims(url, ["nonce": .string(hash)]), key: "rsa")
            func verdict(_ more: JSONObject) async throws -> Verdict? {
                await providers.verdict(try Self.credential(token, provider: "apple", more), settings)
            }

            #expect(try await verdict(["userIdentifier": "S1", "nonce": "n1"]) == .subject("S1"))
            #expect(try await verdict(["userIdentifier": "S2"]) == Self.failed(.otherUser))
            #expect(try await verdict(["nonce": "n2"]) == Self.failed(.nonce))
        }
    }

    @Test("A new key is found at once, and unknown key ids cause only a few requests for keys")

    func rotation() async throws {
        let old = Issuer(keys: ["one": Issuer.elliptic()])
        let new = Issuer(keys: ["two": Issuer.elliptic()])
        let place = Place()
        try await withServer { ask in
            (place.isRotated ? new : old).answer(ask, at: place.url)
        } _: { url, asked in
            place.url = url
            let settings = try Self.settings(url)
            try await withProviders(clock: { Self.now }) { providers in
                let first = try old.token(Self.claims(url), key: "one")
                #expect(await providers.verdict(try Self.credential(first), settings) == .subject("S1"))
                place.isRotated = true
                let second = try new.token(Self.claims(url), key: "two")
                #expect(await providers.verdict(try Self.credential(second), settings) == .subject("S1"))
                #expect(asked.count("/keys") == 2)
                #expect(await providers.verdict(try Self.credential(first), settings) == Self.failed(.refused))
            }
            let before = asked.count("/keys")
            try await withProviders(clock: { Self.now }) { providers in
                for number in 0..<20 {
                    let token = try new.token(Self.claims(url), key: "two", named: "x\(number)")
                    #expect(await providers.verdict(try Self.credential(token), settings) == Self.failed(.refused))
                }
            }
            #expect(asked.count("/keys") == before + 6)
        }
    }

    @Test("An issuer that is down or has another name is unavailable")
    func down() async throws {
        let issuer = Issuer(keys: ["one": Issuer.elliptic()])
        for handler: @Sendable (ReceivedRequest) async throws -> Say in [
            { _ in Say(status: 503) }, { _ in Say(body: "<html>") }, { issuer.answer($0, at: "http://127.0.0.1:9") },
            { _ in Say(status: 404) },
        ] {
            let verdict = try await withServer(handler) { url, _ in
                let token = try issuer.token(Self.claims(url), key: "one")
                return try await withProviders(clock: { Self.now }) { providers in
                    await providers.verdict(try Self.credential(token), try Self.settings(url))
                }
            }
            guard case .failure(.unavailable) = verdict else {
                Issue.record("\(verdict)")
                continue
            }
        }
    }
}

/// The URL of an issuer's server, and whether the issuer has replaced its keys.
private final class Place: Sendable {
    private let state = Mutex((url: "", isRotated: false))

    var url: String {
        get { state.withLock { $0.url } }
        set { state.withLock { $0.url = newValue } }
    }

    var isRotated: Bool {
        get { state.withLock { $0.isRotated } }
        set { state.withLock { $0.isRotated = newValue } }
    }
}
