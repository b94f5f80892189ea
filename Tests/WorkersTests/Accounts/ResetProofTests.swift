import Domain
import JSON
import Storage
import Testing

@testable import Workers

/// Tests of password resets through an unverified address, which the reset then verifies.
@Suite("Resetting by the address used for registering")
struct ResetProofTests {
    private let email: JSONObject = ["email": "victim@example.com"]
    private let providers: JSONObject = ["google": ["enabled": true, "clientIds": ["ours"]]]

    /// Returns an `AccountWorld` in which an intruder has registered the victim's address without verifying it.
    ///
    /// The intruder has also added a phone number, a provider's identity and a second mailbox. Through these, the
    /// intruder could keep access to the account.
    private func squatted(_ policy: String) throws -> AccountWorld {
        let world = try AccountWorld(["emailRegistration": .string(policy)], providers: providers)
        world.pool.identify = { _, _ in
            .success(VerifiedIdentity(provider: .google, subject: "1"))
        }
        try world.ask(
            0,
            "register",
            ["email": "victim@example.com", "password": "the attacker's", "username": "x@evil.com"]
        )
        let phone: JSONObject = ["phone": "1512345678"]
        let code = try world.code(0, "bind", phone)
        let bind: JSONObject = ["phone": "1512345678", "code": .string(code)]
        #expect(try world.ask(0, "bindPhone", bind).isOK)
        #expect(try world.ask(0, "linkProvider", google).isOK)
        #expect(try world.ask(0, "updateProfile", ["email": "later@evil.com"]).isOK)
        return world
    }

    private var google: JSONObject { ["provider": "google", "credential": ["identityToken": "a.b.c"]] }

    private func token(_ mail: OutgoingMessage?) -> String {
        mail?.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
    }

    private func expectOnlyTheOwner(_ world: AccountWorld) throws {
        #expect(try world.ask(0, "whoami").errorCode == "InvalidToken")
        let wrong = "InvalidCredentials"
        #expect(try world.login(1, email, password: "the attacker's").errorCode == wrong)
        let phone: JSONObject = ["phone": "1512345678"]
        #expect(try world.login(2, phone).errorCode == wrong)
        #expect(try world.ask(3, "loginWithProvider", google).result["isNew"] == true)
        let user = try world.login(4, email).user
        #expect(user["emailVerified"] == true && user["email"] == "victim@example.com")
        #expect(user["phone"] == nil && user["providers"] == [] && user["username"] == nil)
        #expect(user["pendingEmail"] == nil)
        _ = try world.mails()
        #expect(try world.ask(5, "requestPasswordReset", ["email": "x@evil.com"]).isOK)
        #expect(try world.mails().isEmpty)
    }

    @Test(
        "The address's link verifies it and removes all of an earlier holder",
        arguments: ["link", "none"]
    )
    func link(_ policy: String) async throws {
        let world = try squatted(policy)
        let before = try world.mails()
        #expect(try world.ask(6, "requestPasswordReset", email).isOK)
        let mail = try #require(try world.mails().first)
        #expect(mail.template == .resetPassword && mail.to == "victim@example.com")
        let links = LinkService(world.world.environment)
        #expect(await links.look(token(mail)).step == .ask)
        #expect(try world.user(0)["emailVerified"] == false)
        let done = await links.follow(token(mail), password: AccountWorld.password)
        #expect(done.step == .done)
        for other in before where other.params["url"] != nil { #expect(await links.follow(token(other)).step == .over) }
        try expectOnlyTheOwner(world)
    }

    @Test(
        "A code with the purpose resetPassword or register does the same",
        arguments: ["resetPassword", "register"]
    )
    func code(_ purpose: String) throws {
        let world = try squatted("none")
        _ = try world.mails()
        let code = try world.code(6, purpose, email)
        var params = email
        params["newPassword"] = .string(AccountWorld.password)
        params["code"] = .string(AccountWorld.wrong(code))
        #expect(try world.ask(6, "resetPassword", params).errorCode == "InvalidCode")
        params["code"] = .string(code)
        #expect(try world.ask(6, "resetPassword", params).isOK)
        #expect(try world.ask(6, "resetPassword", params).errorCode == "InvalidCode")
        try expectOnlyTheOwner(world)
    }

    @Test(
        "A code with the purpose register resets nothing if the address has no account, and stays valid"
    )
    func noAccount() throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", email)
        var reset = email
        reset["code"] = .string(code)
        reset["newPassword"] = .string(AccountWorld.password)
        #expect(try world.ask(0, "resetPassword", reset).errorCode == "InvalidCode")
        var register = email
        register["code"] = .string(code)
        register["password"] = .string(AccountWorld.password)
        #expect(try world.ask(0, "register", register).isOK)
    }

    @Test("The tries of both codes are limited, and neither code adds tries to the other")
    func tries() throws {
        let world = try AccountWorld()
        try world.register(0, email)
        world.world.clock.advance(seconds: 61)
        let first = try world.code(1, "resetPassword", email)
        var params = email
        params["newPassword"] = "another password"
        params["code"] = .string(AccountWorld.wrong(first))
        for _ in 0..<5 { try world.ask(1, "resetPassword", params) }
        let second = try world.code(1, "register", email)
        params["code"] = .string(first)
        #expect(try world.ask(1, "resetPassword", params).errorCode == "InvalidCode")
        params["code"] = .string(second)
        #expect(try world.ask(1, "resetPassword", params).isOK)
    }

    @Test("An unverified or pending address resets nothing")
    func writtenDown() throws {
        let world = try AccountWorld()
        try world.register(0, ["username": "lena"])
        #expect(try world.ask(0, "updateProfile", email).isOK)
        _ = try world.mails()
        #expect(try world.ask(1, "requestPasswordReset", email).isOK)
        #expect(try world.mails().isEmpty)
        #expect(try world.code(1, "resetPassword", email).isEmpty)
    }

    @Test("A user who verified the address earlier keeps everything when resetting by it") func proved() async throws {
        let world = try AccountWorld(providers: providers)
        world.pool.identify = { _, _ in
            .success(VerifiedIdentity(provider: .google, subject: "1"))
        }
        try world.register(0, email)
        #expect(try world.ask(0, "linkProvider", google).isOK)
        _ = try world.mails()
        try world.ask(1, "requestPasswordReset", email)
        let link = token(try world.mails().first)
        let links = LinkService(world.world.environment)
        #expect(await links.follow(link, password: "another password").step == .done)
        let user = try world.login(2, email, password: "another password").user
        #expect(user["providers"] == ["google"])
    }
}
