import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

extension SessionMethodTests {
    @Test(
        "Refreshing gives a new token for seven more days, and the old one works until the new one is used"
    )
    func refresh() throws {
        let world = try world()
        world.clock.advance(seconds: 1000)
        let result = try world.askAccount("session/refresh", id: "a")["result"]?.objectValue
        let new = try #require(result?["token"]?.stringValue)
        #expect(
            result?["expiresAt"]?.intValue == world.clock.now.milliseconds + 604_800_000
        )
        #expect(try world.askAccount("account/whoami", id: "b").isOK)
        #expect(try world.askAccount("session/refresh", id: "a")["result"]?.objectValue == result)
        #expect(try world.askAccount("account/whoami", id: "c", token: new).isOK)
        #expect(try world.askAccount("account/whoami", id: "d").errorCode == "InvalidToken")
        #expect(try world.askAccount("session/refresh", id: "a").errorCode == "InvalidToken")
    }

    @Test("The old token works for a minute at most")
    func overlapEnds() throws {
        let world = try world()
        _ = try world.askAccount("session/refresh", id: "a")
        world.clock.advance(milliseconds: 59_999)
        #expect(try world.askAccount("account/whoami", id: "b").isOK)
        world.clock.advance(milliseconds: 1)
        #expect(try world.askAccount("account/whoami", id: "c").errorCode == "InvalidToken")
    }

    @Test("Of many concurrent refreshes one succeeds")
    func parallelRefresh() throws {
        let world = try world()
        for number in 0..<20 { world.sendRequest(0, "session/refresh", id: "q\(number)") }
        try world.runAccount()
        let answers = world.answers()
        #expect(answers.count == 20)
        #expect(answers.filter(\.isOK).count == 1)
        #expect(answers.filter { !$0.isOK }.allSatisfy { $0.errorCode == "InvalidToken" })
    }

    @Test("The gate's report of the new token's use ends the old one, but not a newer one")

    func usedAtGate() throws {
        let world = try world()
        let first = try world.askAccount("session/refresh", id: "a")["result"]?.objectValue?["token"]
        let until = world.clock.now.milliseconds + 60_000
        func tell(_ until: Int64) throws {
            world.broker.send(
                "ll/v1/system/token-used",
                ["sessionId": "s-0", "until": .integer(until), "ts": .integer(until)]
            )
            try world.runSession()
        }
        try tell(until - 1)
        #expect(try world.askAccount("account/whoami", id: "b").isOK)
        try tell(until)
        #expect(try world.askAccount("account/whoami", id: "c").errorCode == "InvalidToken")
        #expect(try world.askAccount("account/whoami", id: "d", token: first?.stringValue).isOK)
    }

    /// Actions, each with `counts`: whether the action counts as the first use of the session's token.
    static let firstUses: [(name: String, counts: Bool, use: @Sendable (World) throws -> Void)] = [
        ("a request", true, { _ = try $0.askAccount("account/whoami", id: "u") }),
        (
            "a request that needs no token", true,
            { _ = try $0.askAccount("app/info", id: "u", token: World.token(0)) }
        ),
        ("another token", false, { _ = try $0.askAccount("app/info", id: "u", token: "none") }),
        (
            "another terminal's request", false,
            {
                $0.sendRequest(9, "account/whoami", id: "u", token: World.token(0))
                try $0.runAccount()
            }
        ),
        (
            "a connection", true,
            {
                $0.broker.send("ll/v1/system/token-used", ["sessionId": "s-0", "ts": 1])
                try $0.runSession()
            }
        ),
    ]

    @Test("The first use of a token is recorded, whatever the request is", arguments: firstUses.indices) func firstUse(
        row: Int
    ) throws {
        let (name, counts, use) = Self.firstUses[row]
        let world = try world()
        func isUsed() throws -> Bool? { try world.read { try $0.sessions.find(SessionID(trusted: "s-0"))?.isUsed } }
        #expect(try isUsed() == false, "\(name)")

        try use(world)

        #expect(try isUsed() == counts, "\(name)")
        // A request for another refresh also counts as a use of the token.
        let refreshed = try world.askAccount("session/refresh", id: "r")
        #expect(try refreshed.isOK && isUsed() == true, "\(name)")
    }

    @Test("Each worker that checks tokens gets the gate's report in order") func usedAtGateInOneBatch() throws {
        let world = try world()
        let until = world.clock.now.milliseconds + 60_000
        _ = try world.askAccount("session/refresh", id: "a")
        let used: JSONObject = ["sessionId": "s-0", "until": .integer(until), "ts": .integer(until)]
        world.sendRequest(0, "account/whoami", id: "b")
        world.broker.send("ll/v1/system/token-used", used)
        world.sendRequest(0, "account/whoami", id: "c")
        try world.runAccount()
        let answers = world.answers().suffix(2)
        #expect(answers.map(\.errorCode) == [nil, "InvalidToken"])
        let handlers: [any BatchHandler] = [
            RequestHandler.account(world.environment), ControlHandler(world.environment),
            ScheduleWorker(world.environment),
        ]
        let filter = "ll/v1/system/token-used"
        #expect(handlers.allSatisfy { $0.role.subscriptions.new.contains(filter) })
    }

    @Test("A token on another terminal is refused, whatever the request is")
    func strangeToken() throws {
        let world = try world()
        let methods = ["session/list", "session/refresh", "session/terminateOthers"]
        for (number, method) in methods.enumerated() {
            let answer = try world.askAccount(method, id: "q\(number)", token: World.token(1))
            #expect(answer.errorCode == "InvalidToken")
        }
    }
}
