import Domain
import JSON
import Storage
import Testing

@testable import Workers

/// Tests of five attacks in which an intruder uses the victim's address before the victim does.
@Suite("Pre-hijacking")
struct PreHijackingTests {
    private let email: JSONObject = ["email": "victim@example.com"]
    private let providers: JSONObject = [
        "google": ["enabled": true, "clientIds": ["ours"]]
    ]

    private func world(_ policy: String = "none") throws -> AccountWorld {
        let world = try AccountWorld(["emailRegistration": .string(policy)], providers: providers)
        world.pool.identify = { _, _ in
            .success(
                VerifiedIdentity(provider: .google, subject: "1", email: "victim@example.com")
            )
        }
        return world
    }

    private func squat(_ world: AccountWorld) throws -> JSONValue? {
        let answer = try world.ask(0, "register", ["email": "victim@example.com", "password": "the attacker's"])
        _ = try world.mails()
        return answer.user["uid"]
    }

    private func enter(_ world: AccountWorld, _ terminal: Int) throws -> JSONObject {
        try world.ask(terminal, "loginWithProvider", ["provider": "google", "credential": ["identityToken": "a.b.c"]])
    }

    private func prove(_ world: AccountWorld, _ terminal: Int) throws -> JSONObject {
        let code = try world.code(terminal, "register", email)
        return try world.ask(
            terminal,
            "register",
            ["email": "victim@example.com", "code": .string(code), "password": .string(AccountWorld.password)]
        )
    }

    @Test("Classic-federated merge: a provider's e-mail address leads to no account")
    func merge() throws {
        let world = try world()
        let attacker = try squat(world)
        let victim = try enter(world, 1)
        #expect(victim.isOK && victim.user["uid"] != attacker)
        #expect(victim.user["emailVerified"] == false)
    }

    @Test(
        "Unexpired session: the user who proves the address gets an account without the attacker's session"
    )
    func unexpiredSession() throws {
        let world = try world()
        let attacker = try squat(world)
        let victim = try prove(world, 1)
        #expect(victim.isOK && victim.user["uid"] != attacker)
        let left = try world.user(0)
        #expect(left["uid"] == attacker && left["email"] == nil)
        #expect(
            try world.login(2, email, password: "the attacker's").errorCode
                == "InvalidCredentials"
        )
        #expect(try world.login(2, email).user["uid"] == victim.user["uid"])
    }

    @Test("Trojan identifier: a provider linked earlier leads only to the attacker's account")

    func trojanIdentifier() throws {
        let world = try world()
        let attacker = try squat(world)
        world.pool.identify = { _, _ in .success(VerifiedIdentity(provider: .google, subject: "attacker")) }
        let link: JSONObject = ["provider": "google", "credential": ["identityToken": "a.b.c"]]
        #expect(try world.ask(0, "linkProvider", link).isOK)
        let victim = try prove(world, 1)
        #expect(victim.user["providers"] == [])
        #expect(try enter(world, 2).user["uid"] == attacker)
        #expect(victim.user["uid"] != attacker)
    }

    @Test("Unexpired e-mail change: a link requested earlier does nothing afterwards") func unexpiredChange() throws {
        let world = try world()
        try world.register(0, ["username": "attacker"])
        try world.ask(0, "updateProfile", email)
        let link = try #require(try world.mails().first { $0.template == .verifyEmail })
        let token = link.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
        #expect(try prove(world, 1).isOK)
        let used = try world.world.write { try $0.links.use(.verifyEmail, token) }
        #expect(used == nil)
    }

    @Test("Non-verifying provider: its claims about an address prove nothing")
    func nonVerifying() throws {
        let world = try world()
        let victim = try prove(world, 1)
        let attacker = try enter(world, 0)
        #expect(attacker.user["uid"] != victim.user["uid"])
        #expect(try world.code(9, "resetPassword", email).isEmpty == false)
        #expect(try world.login(2, email).user["uid"] == victim.user["uid"])
    }

    @Test("A login code doesn't lead to an account that never proved the address") func loginCode() throws {
        let world = try world()
        _ = try squat(world)
        #expect(try world.code(1, "login", email).isEmpty)
    }
}

@Suite("Identity providers")
struct ProviderMethodTests {
    private let world: AccountWorld
    private let params: JSONObject = ["provider": "google", "credential": ["identityToken": "a.b.c"]]

    init() throws {
        world = try AccountWorld(
            providers: [
                "google": ["enabled": true, "clientIds": ["ours"], "keepToken": true],
                "apple": ["enabled": false, "clientIds": ["ours"]],
            ]
        )
        says("1")
    }

    private func says(_ subject: String) {
        world.pool.identify = { _, _ in
            .success(
                VerifiedIdentity(
                    provider: .google,
                    subject: subject,
                    accessToken: "canary-token",
                    nickname: "Lena",
                    avatarURL: "https://example.com/l.png"
                )
            )
        }
    }

    @Test("The first login creates a user without a password, and the second finds it")
    func firstUse() throws {
        let first = try world.ask(0, "loginWithProvider", params)
        #expect(first.result["isNew"] == true && first.user["providers"] == ["google"])
        #expect(first.user["nickname"] == "Lena" && first.user["username"] != nil)
        let second = try world.ask(1, "loginWithProvider", params)
        #expect(second.result["isNew"] == false && second.user["uid"] == first.user["uid"])
        #expect(try world.ask(0, "checkPassword", ["password": "x"]).result["match"] == false)
    }

    @Test("Of many concurrent first logins one creates the user")
    func parallel() throws {
        for terminal in 0..<20 {
            var params = params
            params["countryCode"] = "49"
            world.send(terminal, "loginWithProvider", params)
        }
        let answers = try world.answers()
        #expect(answers.count { $0.result["isNew"] == true } == 1)
        #expect(Set(answers.map { $0.user["uid"]?.stringValue }).count == 1)
    }

    @Test("Refused credentials and disabled providers don't log in")
    func refused() throws {
        world.pool.identify = { _, _ in .failure(.invalidCredential(.otherApp)) }
        #expect(
            try world.ask(0, "loginWithProvider", params).errorCode == "InvalidCredentials"
        )
        world.pool.identify = { _, _ in
            .failure(.unavailable(retryAfter: 30, because: "it was down"))
        }
        #expect(try world.ask(0, "loginWithProvider", params).retryAfter == 30)
        for provider in ["apple", "oidc:nobody", "qq"] {
            let answer = try world.ask(
                0,
                "loginWithProvider",
                ["provider": .string(provider), "credential": ["identityToken": "a.b.c"]]
            )
            #expect(answer.errorCode == "PolicyRejected")
        }
        #expect(try world.world.count("account") == 0)
    }

    @Test("An anonymous user becomes the provider's user by logging in or linking")
    func anonymous() throws {
        let first = try world.ask(0, "loginAnonymous").user["uid"]
        #expect(try world.ask(0, "loginWithProvider", params).user["uid"] == first)
        says("2")
        let second = try world.ask(1, "loginAnonymous").user["uid"]
        #expect(try world.ask(1, "linkProvider", params).isOK)
        #expect(try world.user(1)["anonymous"] == false)
        #expect(try world.ask(2, "loginWithProvider", params).user["uid"] == second)
    }

    @Test("Another user's identity is refused as Duplicated, and the last way to log in can't be removed")
    func links() throws {
        try world.register(0, ["username": "lena"])
        #expect(try world.ask(0, "linkProvider", params).isOK)
        #expect(try world.ask(0, "linkProvider", params).isOK)
        try world.register(1, ["username": "anna"])
        #expect(try world.ask(1, "linkProvider", params).errorCode == "Duplicated")
        let list = try world.ask(0, "providers").result["providers"]?.arrayValue ?? []
        #expect(list.first?.objectValue?["accessToken"] == "canary-token")
        let google: JSONObject = ["provider": "google"]
        #expect(try world.ask(1, "unlinkProvider", google).errorCode == "ResourceNotFound")
        #expect(try world.ask(0, "unlinkProvider", google).isOK)

        let only = try world.ask(2, "loginWithProvider", params)
        #expect(only.result["isNew"] == true)
        #expect(try world.ask(2, "unlinkProvider", google).errorCode == "Forbidden")
    }

    @Test("A stored token is sealed")
    func sealed() throws {
        try world.ask(0, "loginWithProvider", params)
        let stored = try world.world.read { tx in
            try tx.sql.query("SELECT accessToken FROM identity") { $0.next([UInt8].self) }
        }
        let text = stored.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(!text.isEmpty && !text.contains("canary-token"))
    }
}
