import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Terminals of one account")
struct SessionMethodTests {
    /// Returns a `World` with user 0 on `count` terminals and user 9 on terminal 9.
    func world(terminals count: Int = 3) throws -> World {
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

    func logoutCode(_ world: World, _ user: Int = 0) throws -> String {
        try world.write { tx in
            try tx.logoutCodes.make(World.uid(user), on: World.terminal(user), expiresAt: tx.now.adding(seconds: 300))
        }
    }

    func live(_ world: World) throws -> [String] {
        try world.read { try $0.sessions.live(of: World.uid(0)) }.map(\.id.text).sorted()
    }

    @Test("The list shows the user's own live terminals, and marks the asking one")
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

    // MARK: Ending other sessions

    @Test("A logout code ends one terminal's session, once")
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

    @Test("Another user's terminal is not found, and the code stays valid") func unknownTerminal() throws {
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
        "An expired, foreign or invented code ends no session",
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

    @Test("Of many concurrent uses of one code one succeeds")
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

    @Test("An expired session is ended once, and its terminal is told the reason")
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

    @Test("A second notice of an ended session publishes nothing, whichever worker sends it")

    func secondNotice() throws {
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
        // This notice has the time and reason of the session's end. So it counts as a notice of that end.
        #expect(try notice("n-2", "terminated") == 1)
        world.clock.advance(milliseconds: 1)
        #expect(try notice("n-4", "terminated") == 1)
        #expect(try notice("n-3", "operator") == 1)
        #expect(try world.count("audit") == 1)
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
    }

    @Test("Logins and ends are in the audit trail, with the actor")
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
