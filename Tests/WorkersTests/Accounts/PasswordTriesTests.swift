import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Ten wrong passwords")
struct PasswordTriesTests {
    private let world: AccountWorld
    private let email: JSONObject = ["email": "a@example.com"]

    init() throws { world = try AccountWorld() }

    private func exhaust(_ name: JSONObject, from first: Int = 100) throws {
        for terminal in first..<(first + 10) {
            let answer = try world.login(terminal, name, password: "wrong password")
            #expect(answer.errorCode == "InvalidCredentials")
        }
    }

    @Test("Wrong passwords lock a name on all terminals for a quarter of an hour, and a right code still logs in")
    func name() throws {
        try world.register(0, email)
        try exhaust(email)
        for name in [email, ["account": "A@example.com"]] as [JSONObject] {
            let answer = try world.login(1, name)
            #expect(answer.errorCode == "TooManyRequests" && answer.retryAfter == 900)
        }
        let code = try world.code(1, "login", email)
        #expect(try world.ask(1, "login", ["email": "a@example.com", "code": .string(code)]).isOK)
        world.world.clock.advance(seconds: 900)
        #expect(try world.login(1, email).isOK)
    }

    @Test("A name that doesn't exist is locked in the same way")
    func unknownName() throws {
        try exhaust(["username": "nobody"])
        #expect(try world.login(1, ["username": "nobody"]).errorCode == "TooManyRequests")
    }

    @Test("Wrong passwords lock a terminal for all names, and a successful login doesn't unlock it")
    func terminal() throws {
        try world.register(0, ["username": "mine"])
        try world.register(1, ["username": "victim"])
        for turn in 0..<10 {
            _ = try world.login(9, ["username": .string("name\(turn)")], password: "wrong password")
            if turn == 5 { #expect(try world.login(9, ["username": "mine"]).isOK) }
        }
        #expect(try world.login(9, ["username": "victim"]).errorCode == "TooManyRequests")
        #expect(try world.login(8, ["username": "victim"]).isOK)
    }

    @Test("A hundred concurrent wrong passwords have ten tries")
    func parallel() throws {
        try world.register(0, email)
        world.pool.isHeld = true
        let before = world.pool.verifications
        for terminal in 100..<200 {
            world.send(
                terminal,
                "login",
                ["countryCode": "49", "email": "a@example.com", "password": "wrong password"]
            )
        }
        var loop = try world.world.loop(RequestHandler.account(world.world.environment))
        try loop.turn()
        #expect(world.pool.verifications - before == 10)
        world.pool.release()
        try world.world.settle(&loop)
    }

    @Test("Wrong passwords are counted together for login, check and change")
    func allPaths() throws {
        try world.register(0, email)
        try exhaust(email)
        let password = JSONValue.string(AccountWorld.password)
        #expect(
            try world.ask(0, "checkPassword", ["password": password]).errorCode
                == "TooManyRequests"
        )
        #expect(
            try world.ask(
                0,
                "changePassword",
                ["oldPassword": password, "newPassword": "another password"]
            ).errorCode == "TooManyRequests"
        )
    }

    @Test("Wrong passwords of a logged-in user also lock the user's names")
    func fromInside() throws {
        try world.register(0, email)
        for _ in 0..<10 {
            let answer = try world.ask(0, "checkPassword", ["password": "wrong password"])
            #expect(answer.result["match"] == false)
        }
        #expect(try world.login(1, email).errorCode == "TooManyRequests")
    }

    @Test("Wrong passwords under one name prevent logins under another, without revealing that both are one account")
    func otherName() throws {
        try world.register(0, email)
        try world.ask(0, "updateProfile", ["username": "lena"])
        try exhaust(email)
        let right = try world.login(1, ["username": "lena"])
        let unknown = try world.login(2, ["username": "nobody"])
        #expect(right["error"] == unknown["error"])
        world.world.clock.advance(seconds: 900)
        #expect(try world.login(1, ["username": "lena"]).isOK)
    }

    @Test("A right password never locks a user out, however often it is used")
    func rightOnes() throws {
        try world.register(0, ["username": "lena"])
        for _ in 0..<15 { #expect(try world.login(1, ["username": "lena"]).isOK) }
    }

    @Test("A wrong password and an unknown name get the same answer and cost the same")
    func alike() throws {
        try world.register(0, email)
        let before = world.pool.verifications
        let wrong = try world.login(1, email, password: "wrong password")
        let unknown = try world.login(2, ["email": "b@example.com"], password: "wrong password")
        #expect(wrong["error"] == unknown["error"])
        #expect(wrong.errorCode == "InvalidCredentials")
        #expect(world.pool.verifications - before == 2)
    }

    @Test("If the app reveals accounts, an unknown name is refused at once")
    func revealed() throws {
        let open = try AccountWorld(["revealAccounts": true])
        #expect(try open.login(0, ["username": "nobody"]).errorCode == "ResourceNotFound")
    }
}

@Suite("Logging in")
struct LoginTests {
    private let world: AccountWorld

    init() throws { world = try AccountWorld() }

    @Test(
        "Invalid combinations are refused",
        arguments: [
            [:], ["username": "a", "email": "a@example.com", "password": "x"], ["username": "a"],
            ["email": "a@example.com", "password": "x", "code": "123456"],
            ["username": "a", "code": "123456"], ["account": 5, "password": "x"],
            ["phone": "nonsense", "password": "x"], ["countryCode": "+49", "username": "a"],
        ] as [JSONObject]
    )
    func odd(_ params: JSONObject) throws {
        #expect(try world.ask(0, "login", params).errorCode == "InvalidRequest")
        #expect(world.pool.journal.isEmpty)
    }

    @Test("A password hashed with old parameters is hashed again")
    func rehash() throws {
        try world.register(0, ["username": "lena"])
        world.pool.hasher = PlainHasher(mark: "new:")
        #expect(try world.login(1, ["username": "lena"]).isOK)
        let hashes = try world.world.read { tx in
            try tx.sql.query("SELECT passwordHash FROM account") { $0.next(String.self) }
        }
        #expect(hashes == ["new:\(AccountWorld.password)"])
    }

    @Test("A password that is changed while it is verified doesn't log in")
    func changedMeanwhile() throws {
        try world.register(0, ["username": "lena"])
        world.pool.isHeld = true
        world.send(
            1,
            "login",
            [
                "countryCode": "49", "username": "lena",
                "password": .string(AccountWorld.password),
            ]
        )
        var loop = try world.world.loop(RequestHandler.account(world.world.environment))
        try loop.turn()
        try world.world.write { tx in
            try tx.sql.run("UPDATE account SET passwordHash = 'plain:other'")
        }
        world.world.broker.forgetPublished()
        world.pool.release()
        try world.world.settle(&loop)
        let answer = world.world.broker.published(ending: "/response").last
        #expect(answer?.errorCode == "Unavailable")
    }

    @Test("A region hosted elsewhere is refused with its address")
    func regions() throws {
        world.world.environment.regions = Regions(
            served: ["eu"],
            byCountry: ["86": "cn"],
            endpoints: ["cn": "mqtts://cn.example.org"]
        )
        let answer = try world.ask(
            0,
            "register",
            [
                "countryCode": "86", "username": "lena",
                "password": .string(AccountWorld.password),
            ]
        )
        let error = answer["error"]?.objectValue
        #expect(answer.errorCode == "RegionNotServed")
        #expect(error?["region"] == "cn" && error?["endpoint"] == "mqtts://cn.example.org")
        #expect(try world.register(0, ["username": "lena"]).user["region"] == "eu")
    }

    @Test("Terminals and users of another app can't log in")
    func apps() throws {
        try world.register(0, ["username": "lena"])
        let password = JSONValue.string(AccountWorld.password)
        let params: JSONObject = ["username": "lena", "password": password]
        #expect(try world.ask(0, "login", params, app: "other").errorCode == "Forbidden")
        #expect(
            try world.ask(1, "login", params, app: "other").errorCode == "InvalidCredentials"
        )
    }

    @Test("A login on a terminal with a session replaces the session")
    func replaced() throws {
        try world.register(0, ["username": "lena"])
        let old = world.tokens[0]
        #expect(try world.login(0, ["username": "lena"]).isOK)
        let answer = try world.ask(0, "whoami", token: old)
        #expect(answer["error"]?.objectValue?["reason"] == "replaced")
    }
}
