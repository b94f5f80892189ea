import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Requests with an API key")
struct KeyTests {
    private static let terminal = TerminalID(trusted: String(repeating: "e", count: 32))
    private static let answers = "ll/v1/app/demo/\(terminal.text)/response"
    private static let key = APIKey(
        id: KeyID(trusted: "k-1"),
        app: World.app,
        name: "billing",
        terminal: terminal,
        scopes: ["account", "device:read", "home"].compactMap { KeyScope($0) },
        createdAt: Instant(milliseconds: 0),
        expiresAt: nil
    )

    /// Returns a `World` with an API key, two users of its app, and another app's user.
    private func world() throws -> World {
        let world = try World(devices: 1, users: 2, bound: 1)
        try world.write { (tx) throws in
            try tx.keys.add(Self.key, token: "llk_1")
            var other = try #require(try tx.accounts.find(World.uid(1)))
            (other.uid, other.app) = (World.uid(8), AppID(trusted: "other"))
            try tx.accounts.insert(other, deviceID: nil)
        }
        return world
    }

    private func ask(
        _ world: World,
        _ method: String,
        id: String,
        uid: String? = World.uid(0).text,
        token: String? = "llk_1",
        from terminal: TerminalID = Self.terminal,
        _ params: JSONObject = [:]
    ) throws -> JSONObject {
        world.broker.send(
            "ll/v1/app/demo/\(terminal.text)/request/\(method)",
            [
                "id": .string(id), "token": token.map { .string($0) }, "uid": uid.map { .string($0) },
                "params": .object(params),
            ]
        )
        if method.hasPrefix("account") || method.hasPrefix("session") {
            try world.runAccount()
        } else {
            try world.runControl()
        }
        return try #require(world.broker.published(to: "ll/v1/app/demo/\(terminal.text)/response").last)
    }

    private func error(_ answer: JSONObject) -> String {
        let error = answer["error"]?.objectValue ?? [:]
        return ["code", "field"].compactMap { error[$0]?.stringValue }.joined(separator: " ")
    }

    @Test("A key acts for the user it names, with that user's rights")
    func acts() throws {
        let world = try world()
        let own = try ask(world, "device/list", id: "a")["result"]?.objectValue?["devices"]?.arrayValue
        #expect(own?.count == 1)
        let other = try ask(world, "device/list", id: "b", uid: World.uid(1).text)
        #expect(other["result"]?.objectValue?["devices"]?.arrayValue?.isEmpty == true)
        let whoami = try ask(world, "account/whoami", id: "c")
        #expect(whoami["result"]?.objectValue?["user"]?.objectValue?["uid"]?.stringValue == World.uid(0).text)
    }

    @Test("Requests without a user, or for another app's or unknown user, are refused")
    func users() throws {
        let world = try world()
        #expect(try error(ask(world, "device/list", id: "a", uid: nil)) == "InvalidRequest uid")
        #expect(try error(ask(world, "device/list", id: "b", uid: World.uid(8).text)) == "ResourceNotFound uid")
        #expect(try error(ask(world, "device/list", id: "c", uid: "u-none")) == "ResourceNotFound uid")
        #expect(try error(ask(world, "device/list", id: "d", uid: "not an id")) == "ResourceNotFound uid")
    }

    @Test("Methods outside the scopes are refused, and so are logins on the key's terminal")
    func scopes() throws {
        let world = try world()
        for (number, method) in [
            "device/control", "share/list", "session/list", "account/changePassword", "account/logout", "account/login",
            "account/loginAnonymous", "session/refresh",
        ].enumerated() {
            let isLogin = method.hasPrefix("account/login")
            let answer = try ask(world, method, id: "q\(number)", token: isLogin ? nil : "llk_1")
            #expect(error(answer) == "Forbidden", "\(method)")
        }
        #expect(try world.read { try $0.sessions.live(on: Self.terminal) } == nil)
        #expect(try ask(world, "home/create", id: "h", ["name": "Hut"]).isOK)
    }

    @Test("The key is valid only on its own terminal, and no user's token is valid there")
    func terminals() throws {
        let world = try world()
        #expect(try error(ask(world, "device/list", id: "a", from: World.terminal(0))) == "InvalidToken token")
        #expect(try error(ask(world, "device/list", id: "b", token: World.token(0))) == "InvalidToken token")
        #expect(try error(ask(world, "device/list", id: "c", token: "llk_2")) == "InvalidToken token")
    }

    @Test("The audit trail and the effects name the key")
    func actor() throws {
        let world = try world()
        #expect(try ask(world, "account/updateProfile", id: "a", ["username": "anna01"]).isOK)
        let entry = try #require(try world.read { try $0.audit.newest(of: World.uid(0), limit: 1) }.first)
        #expect(entry.kind == .usernameChanged && entry.actor == Actor(.service, "billing", terminal: Self.terminal))
    }

    @Test("A server's queued command has the key as its actor, and ends when its user loses the device")
    func commands() throws {
        let world = try world()
        var key = Self.key
        (key.id, key.name, key.scopes) = (KeyID(trusted: "k-3"), "control", ["device"].compactMap { KeyScope($0) })
        key.terminal = TerminalID(trusted: String(repeating: "c", count: 32))
        try world.write { [key] in try $0.keys.add(key, token: "llk_4") }
        let params: JSONObject = ["did": .string(World.did(0).text), "data": ["power": true], "mode": "queue"]
        #expect(try ask(world, "device/control", id: "a", token: "llk_4", from: key.terminal, params).isOK)
        let command = try #require(try world.read { try $0.commands.open(World.did(0)) }.first)
        #expect(command.actor == Actor(.service, "control", terminal: key.terminal))
        #expect(command.user == World.uid(0))
        let unbound = try ask(
            world,
            "device/unbind",
            id: "b",
            token: "llk_4",
            from: key.terminal,
            ["did": .string(World.did(0).text)]
        )
        #expect(unbound.isOK)
        let outcome = world.broker.published(to: "ll/v1/app/demo/\(key.terminal.text)/command").last
        #expect(outcome?["state"] == "failed" && outcome?["code"] == "NotBound")
    }

    @Test("A rotated key's old secret ends with the new secret's first request")
    func rotated() throws {
        let world = try world()
        try world.write { try $0.keys.rotate(Self.key, to: "llk_2") }
        #expect(try ask(world, "device/list", id: "a").isOK)
        #expect(try ask(world, "device/list", id: "b", token: "llk_2").isOK)
        #expect(try error(ask(world, "device/list", id: "c")) == "InvalidToken token")
    }

    @Test("The gate's report of the new secret's use ends the old one")
    func used() throws {
        let world = try world()
        try world.write { try $0.keys.rotate(Self.key, to: "llk_2") }
        let until = world.clock.now.adding(seconds: APIKey.overlapSeconds)
        world.broker.send(
            "ll/v1/system/token-used",
            ["sessionId": "k-1", "until": .integer(until.milliseconds), "ts": .integer(world.clock.now.milliseconds)]
        )
        try world.runAccount()
        #expect(try world.read { try $0.keys.find(token: "llk_1") } == nil)
    }

    @Test("An expired key is ended, and the gate cuts it off")
    func expires() throws {
        let world = try world()
        var key = Self.key
        (key.id, key.name) = (KeyID(trusted: "k-2"), "short")
        key.terminal = TerminalID(trusted: String(repeating: "d", count: 32))
        key.expiresAt = world.clock.now.adding(seconds: 10)
        try world.write { [key] in try $0.keys.add(key, token: "llk_3") }
        world.clock.advance(seconds: 11)
        let answer = try ask(world, "account/whoami", id: "a", token: "llk_3", from: key.terminal)
        #expect(answer["error"]?.objectValue?["reason"]?.stringValue == "expired")
        try world.runSession()
        #expect(try world.read { try $0.keys.find(key.id) }?.endedAt == world.clock.now)
        let commands = world.broker.published(to: "$CONTROL/lamplighter/v1").flatMap {
            $0["commands"]?.arrayValue ?? []
        }
        #expect(commands.contains { $0.objectValue?["sessionId"]?.stringValue == "k-2" })
    }
}
