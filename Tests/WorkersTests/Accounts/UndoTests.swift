import Domain
import JSON
import Storage
import Testing

@testable import Workers

/// Tests of an account's contents after the owner has undone an intruder's change of an address.
@Suite("Undoing a change of address")
struct UndoTests {
    private static let own: JSONObject = ["email": "own@example.com"]
    private static let thief: JSONObject = ["email": "thief@example.com"]
    private static let phone: JSONObject = ["phone": "1512345678"]

    /// Returns an `AccountWorld` with a user on terminal 0.
    ///
    /// The account is three days old and has a verified e-mail address.
    private func world() throws -> AccountWorld {
        let world = try AccountWorld()
        try world.register(0, Self.own)
        world.world.clock.advance(seconds: 3 * 86_400)
        return world
    }

    private func bind(_ world: AccountWorld, _ address: JSONObject) throws {
        var params = address
        params["code"] = .string(try world.code(0, "bind", address))
        let method = address["phone"] == nil ? "bindEmail" : "bindPhone"
        #expect(try world.ask(0, method, params).isOK)
        world.world.clock.advance(seconds: 60)
    }

    /// Changes the account's address and returns the token of the link that undoes the change.
    private func change(_ world: AccountWorld, to address: JSONObject) throws -> String {
        try bind(world, address)
        let mail = try #require(try world.mails().first { $0.template == .addressChanged })
        return mail.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
    }

    private func follow(_ world: AccountWorld, _ token: String) async -> LinkView {
        await LinkService(world.world.environment).follow(token)
    }

    /// Logs the owner in with a code and returns the data that the account still has.
    private func left(_ world: AccountWorld, by address: JSONObject = own) throws -> JSONObject {
        var params = address
        params["code"] = .string(try world.code(1, "login", address))
        return try world.ask(1, "login", params).user
    }

    @Test(
        "A phone added with the change is removed, whichever came first",
        arguments: [true, false]
    )
    func phone(isFirst: Bool) async throws {
        let world = try world()
        if isFirst { try bind(world, Self.phone) }
        let link = try change(world, to: Self.thief)
        if !isFirst { try bind(world, Self.phone) }
        #expect(await follow(world, link).step == .done)
        let user = try left(world)
        #expect(user["email"] == "own@example.com" && user["phone"] == nil)
        #expect(try !world.login(2, Self.phone).isOK)
    }

    @Test("A phone that the account had before is kept")
    func ownPhone() async throws {
        let world = try world()
        try bind(world, Self.phone)
        world.world.clock.advance(seconds: 2 * 86_400)
        let link = try change(world, to: Self.thief)
        #expect(await follow(world, link).step == .done)
        #expect(try left(world)["phoneVerified"] == true)
    }

    @Test("If phone and e-mail address were changed, each owner's link restores its own, in any order")

    func both() async throws {
        for emailFirst in [true, false] {
            let world = try AccountWorld()
            try world.register(0, Self.own)
            try bind(world, Self.phone)
            world.world.clock.advance(seconds: 3 * 86_400)
            let phone = try change(world, to: ["phone": "1517777777"])
            let email = try change(world, to: Self.thief)
            for link in emailFirst ? [email, phone] : [phone, email] {
                #expect(await follow(world, link).step == .done)
            }
            let user = try left(world)
            #expect(user["email"] == "own@example.com" && user["phone"] == "+491512345678")
        }
    }

    @Test("No link to an interim address works afterwards, of any kind") func between() async throws {
        let world = try world()
        try bind(world, Self.phone)
        let thiefsPhone = try change(world, to: ["phone": "1517777777"])
        let link = try change(world, to: Self.thief)
        let thiefsMail = try change(world, to: ["email": "thief2@example.com"])
        #expect(await follow(world, link).step == .done)
        for token in [thiefsPhone, thiefsMail, link] { #expect(await follow(world, token).step == .over) }
        let user = try left(world)
        #expect(user["email"] == "own@example.com" && user["phone"] == nil)
    }

    @Test("A username that is an interim mailbox is removed, because it could reset the password")
    func mailbox() async throws {
        let world = try world()
        #expect(try world.ask(0, "updateProfile", ["username": "thief@example.com"]).isOK)
        let link = try change(world, to: ["email": "thief2@example.com"])
        #expect(await follow(world, link).step == .done)
        #expect(try left(world)["username"] == nil)
        _ = try world.mails()
        #expect(try world.ask(3, "requestPasswordReset", Self.thief).isOK)
        #expect(try world.mails().isEmpty)
    }

    @Test("An unverified e-mail address is removed when a phone's change is undone")

    func writtenDown() async throws {
        let world = try AccountWorld()
        try world.register(0, Self.phone)
        world.world.clock.advance(seconds: 3 * 86_400)
        let link = try change(world, to: ["phone": "1517777777"])
        #expect(try world.ask(0, "updateProfile", Self.thief).isOK)
        #expect(await follow(world, link).step == .done)
        let user = try left(world, by: Self.phone)
        #expect(user["email"] == nil && user["phone"] == "+491512345678")
    }

    @Test("The audit trail states which addresses were removed")
    func audit() async throws {
        let world = try world()
        let link = try change(world, to: Self.thief)
        try bind(world, Self.phone)
        #expect(await follow(world, link).step == .done)
        let entries = try world.world.read { try $0.audit.newest(limit: 100) }
        let restored = try #require(entries.first { $0.kind == .addressRestored })
        #expect(restored.detail == "link to o•••@example.com, without phone")
    }
}
