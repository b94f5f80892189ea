import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Terminals of one account")
struct SessionMethodTests {
    /// Returns a `World` in which user 0 is logged in on the terminals 0 to `count` - 1, and user 9 on terminal 9.
    private func world(terminals count: Int = 3) throws -> World {
        let world = try World()
        try world.makeUsers(1)
        try world.write { (tx) throws in
            for number in 1..<count {
                var session = World.session(number, since: tx.now)
                session.uid = World.uid(0)
                try tx.sessions.begin(session, token: World.token(number))
            }
            try tx.accounts.insert(
                User(
                    uid: World.uid(9),
                    app: World.app,
                    region: "default",
                    countryCode: "49",
                    nickname: "n",
                    isAnonymous: true,
                    createdAt: tx.now
                ),
                deviceID: nil
            )
            try tx.sessions.begin(World.session(9, since: tx.now), token: World.token(9))
        }
        return world
    }

    private func logoutCode(_ world: World, _ user: Int = 0) throws -> String {
        try world.write { tx in
            try tx.logoutCodes.make(World.uid(user), on: World.terminal(user), expiresAt: tx.now.adding(seconds: 300))
        }
    }

    private func live(_ world: World) throws -> [String] {
        try world.read { try $0.sessions.live(of: World.uid(0)) }.map(\.id.text).sorted()
    }

    @Test("The list shows one's own live terminals, and which one asks")
    func list() throws {
        let world = try world()
        world.clock.advance(seconds: 90)
        let answer = try world.askAccount("session/list", id: "a", token: World.token(0))
        let rows = try #require(answer["result"]?.objectValue?["sessions"]?.arrayValue)
            .compactMap(\.objectValue)
        #expect(rows.map { $0["current"] == true } == [false, false, true])
        #expect(rows.compactMap { $0["terminalId"]?.stringValue } == (0..<3).reversed().map { World.terminal($0).text })
        let seen = rows.compactMap { $0["lastSeenAt"]?.intValue }
        let logins = rows.compactMap { $0["loginTime"]?.intValue }
        #expect(zip(seen, logins).map { $0 - $1 } == [0, 0, 90_000])
        let again = try world.askAccount("session/list", id: "b", token: World.token(0))
        let later = again["result"]?.objectValue?["sessions"]?.arrayValue?.last?.objectValue
        #expect(later?["lastSeenAt"]?.intValue == world.clock.now.milliseconds)
    }

    // MARK: Refreshing

    @Test(
        "Refreshing gives a new token and seven more days; the old one works until the new one did"
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

    @Test("Of many refreshes at once one succeeds")
    func parallelRefresh() throws {
        let world = try world()
        for number in 0..<20 { world.sendRequest(0, "session/refresh", id: "q\(number)") }
        try world.runAccount()
        let answers = world.answers()
        #expect(answers.count == 20)
        #expect(answers.filter(\.isOK).count == 1)
        #expect(answers.filter { !$0.isOK }.allSatisfy { $0.errorCode == "InvalidToken" })
    }

    @Test("The gate's word that the new token was used ends the old one, but not a younger one") func usedAtGate()
        throws
    {
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

    /// The first uses of a token that a test tries, and whether the service counts each as a use.
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

    @Test("The first use of a token is kept, whatever it is", arguments: firstUses.indices) func firstUse(
        row: Int
    ) throws {
        let (name, counts, use) = Self.firstUses[row]
        let world = try world()
        func isUsed() throws -> Bool? { try world.read { try $0.sessions.find(SessionID(trusted: "s-0"))?.isUsed } }
        #expect(try isUsed() == false, "\(name)")

        try use(world)

        #expect(try isUsed() == counts, "\(name)")
        // The request for another refresh uses the token too.
        let refreshed = try world.askAccount("session/refresh", id: "r")
        #expect(try refreshed.isOK && isUsed() == true, "\(name)")
    }

    @Test("Every worker that looks at tokens hears the gate's word in its turn") func usedAtGateInOneBatch() throws {
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

    @Test("A token of another terminal is refused, whatever it asks for")
    func strangeToken() throws {
        let world = try world()
        let methods = ["session/list", "session/refresh", "session/terminateOthers"]
        for (number, method) in methods.enumerated() {
            let answer = try world.askAccount(method, id: "q\(number)", token: World.token(1))
            #expect(answer.errorCode == "InvalidToken")
        }
    }

    // MARK: Ending other sessions

    @Test("A logout code ends one terminal, and only once")
    func terminate() throws {
        let world = try world()
        let code = try logoutCode(world)
        let target: JSONObject = ["terminalId": .string(World.terminal(1).text), "logoutCode": .string(code)]
        #expect(try world.askAccount("session/terminate", id: "a", target).isOK)
        #expect(try live(world) == ["s-0", "s-2"])
        #expect(
            world.broker.published(to: "ll/v1/system/session-invalid").map { $0["reason"] }
                == ["terminated"]
        )
        var other = target
        other["terminalId"] = .string(World.terminal(2).text)
        #expect(try world.askAccount("session/terminate", id: "b", other).errorCode == "InvalidCode")
        #expect(try live(world) == ["s-0", "s-2"])
        for notice in world.broker.published(to: "ll/v1/system/session-invalid") {
            world.broker.send("ll/v1/system/session-invalid", notice)
        }
        try world.runSession()
        #expect(
            world.broker.published(to: "ll/v1/app/demo/\(World.terminal(1).text)/session")
                .map { $0["reason"] } == ["terminated"]
        )
    }

    @Test("A terminal that isn't one's own is not found, and the code stays good") func unknownTerminal() throws {
        let world = try world()
        let code = try logoutCode(world)
        for (number, terminal) in [9, 8].enumerated() {
            let answer = try world.askAccount(
                "session/terminate",
                id: "q\(number)",
                ["terminalId": .string(World.terminal(terminal).text), "logoutCode": .string(code)]
            )
            #expect(answer.errorCode == "ResourceNotFound")
        }
        let own = try world.askAccount(
            "session/terminate",
            id: "own",
            ["terminalId": .string(World.terminal(0).text), "logoutCode": .string(code)]
        )
        #expect(own.errorCode == "InvalidRequest" && own.errorField == "params.terminalId")
        let others = try world.askAccount("session/terminateOthers", id: "others", ["logoutCode": .string(code)])
        #expect(others["result"]?.objectValue?["terminated"]?.intValue == 2)
        #expect(try live(world) == ["s-0"])
    }

    @Test(
        "A code that is over, another user's or made up ends no session",
        arguments: ["late", "other", "made up"]
    )
    func badCode(_ kind: String) throws {
        let world = try world()
        let code = kind == "made up" ? "x" : try logoutCode(world, kind == "other" ? 9 : 0)
        if kind == "late" { world.clock.advance(seconds: 300) }
        let answer = try world.askAccount("session/terminateOthers", id: "a", ["logoutCode": .string(code)])
        #expect(answer.errorCode == "InvalidCode" && answer.errorField == "params.logoutCode")
        #expect(try live(world).count == 3)
    }

    @Test("Of many uses of one code at once one succeeds")
    func parallelCode() throws {
        let world = try world(terminals: 9)
        let code = try logoutCode(world)
        for number in 1..<9 {
            world.sendRequest(
                0,
                "session/terminate",
                id: "q\(number)",
                ["terminalId": .string(World.terminal(number).text), "logoutCode": .string(code)]
            )
        }
        try world.runAccount()
        let answers = world.answers()
        #expect(answers.filter(\.isOK).count == 1)
        #expect(try live(world).count == 8)
    }

    // MARK: Expiry

    @Test("A session whose time is over is ended once, and its terminal told why")
    func expiry() throws {
        let world = try world()
        world.clock.advance(seconds: 100_000)
        for _ in 0..<3 { try world.runSession() }
        let notices = world.broker.published(to: "ll/v1/system/session-invalid")
        #expect(notices.count == 4)
        #expect(notices.allSatisfy { $0["reason"] == "expired" })
        try world.runSession()
        #expect(
            world.broker.published(to: "ll/v1/app/demo/\(World.terminal(1).text)/session")
                .map { $0["reason"] } == ["expired"]
        )
        #expect(try live(world).isEmpty)
        let answer = try world.askAccount("account/whoami", id: "a")
        #expect(answer["error"]?.objectValue?["reason"] == "expired")
    }

    @Test("A second notice of an ended session publishes nothing, whichever worker sends it") func secondNotice() throws
    {
        let world = try world()
        func notice(_ id: String, _ reason: String) throws -> Int {
            world.broker.send(
                "ll/v1/system/session-invalid",
                [
                    "noticeId": .string(id), "sessionId": "s-1", "reason": .string(reason),
                    "ts": .integer(world.clock.now.milliseconds), "actor": ["kind": "operator", "id": "directory"],
                ]
            )
            try world.runSession()
            return world.broker.published(to: "ll/v1/user/u-0/session").count
        }
        #expect(try notice("n-1", "terminated") == 1)
        #expect(try notice("n-1", "terminated") == 1)
        // A notice with the time at which the session ended is accepted as the cause of the end.
        #expect(try notice("n-2", "terminated") == 1)
        world.clock.advance(milliseconds: 1)
        #expect(try notice("n-4", "terminated") == 1)
        #expect(try notice("n-3", "operator") == 1)
        #expect(try world.count("audit") == 1)
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
    }

    @Test("Logins and ends are in the audit trail, with who did it")
    func audit() throws {
        let world = try world()
        let code = try logoutCode(world)
        _ = try world.askAccount("session/terminateOthers", id: "a", ["logoutCode": .string(code)])
        let trail = try world.read { try $0.audit.newest(of: World.uid(0), limit: 10) }
        #expect(trail.map(\.kind) == [.sessionEnded, .sessionEnded])
        #expect(Set(trail.compactMap(\.terminal)) == [World.terminal(1), World.terminal(2)])
        #expect(trail.allSatisfy { $0.detail == "terminated" })
        #expect(trail.allSatisfy { $0.actor.terminal == World.terminal(0) })
    }
}
