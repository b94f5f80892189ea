import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Accounts that go")
struct CancellationTests {
    private func sweep(_ world: World, rounds: Int = 5) throws {
        let sweeper = AccountSweeper(world.environment)
        for _ in 0..<rounds { _ = try sweeper.sweep() }
    }

    private func login(_ world: World, id: String) throws -> JSONObject {
        world.broker.send(
            World.requestTopic(0, "account/loginAnonymous"),
            ["id": .string(id), "params": ["countryCode": "49", "deviceId": "0123456789abcdef"]]
        )
        try world.runAccount()
        return try #require(world.answers().last)
    }

    private func exists(_ world: World, _ uid: UserID) throws -> Bool {
        try world.read { try $0.accounts.find(uid) } != nil
    }

    @Test("Cancelling ends all sessions, and seven days later nothing is left of the user")
    func cancel() throws {
        let world = try World()
        try world.makeDevices(2, online: true)
        try world.makeUsers(2)
        try world.bind(0, 0)
        try world.bind(0, 1, .normal)
        try world.bind(1, 0)
        let actor = Actor(.user, "u-0", terminal: World.terminal(0))
        try world.write { (tx) throws in
            let event = Event(id: "e-1", type: "online", ts: tx.now, actor: actor)
            try tx.events.append([(World.did(0), event, actor: EventCodec.stored(actor))])
            try tx.commands.save([
                Command(
                    did: World.did(0),
                    cid: 1,
                    sn: 0,
                    kind: .write,
                    state: .done,
                    data: ["power": true],
                    binary: nil,
                    actor: actor,
                    app: World.app,
                    createdAt: tx.now,
                    expiresAt: tx.now
                )
            ])
        }

        let result = try world.askAccount("account/cancel", id: "a")["result"]?.objectValue
        let deletesAt = world.clock.now.adding(seconds: 604_800)
        #expect(result?["deletesAt"]?.intValue == deletesAt.milliseconds)
        #expect(try world.askAccount("account/whoami", id: "b").errorCode == "InvalidToken")
        try sweep(world)
        #expect(try exists(world, World.uid(0)))
        world.clock.advance(seconds: 604_800)
        try sweep(world)

        #expect(try !exists(world, World.uid(0)))
        #expect(try world.count("binding") == 1)
        let heir = try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }
        #expect(heir?.role == .special)
        #expect(try world.count("session WHERE uid = 'u-0'") == 0)
        for table in ["event", "command"] {
            #expect(try world.count("\(table) WHERE actor LIKE '%u-0%'") == 0)
            #expect(try world.count("\(table) WHERE actor LIKE '%erased%'") == 1)
        }
        #expect(try world.count("cancellation") == 0)
        let trail = try world.read { try $0.audit.newest(of: World.uid(0), limit: 10) }
        #expect(trail.first?.kind == .erased)
        #expect(trail.dropFirst().allSatisfy { $0.terminal == nil && $0.detail == nil })
        #expect(trail.allSatisfy { $0.actor.terminal == nil })
        try world.runStatus()
        #expect(
            world.broker.published.contains {
                $0.topic == World.statusTopic(0, 0) && $0.payload.isEmpty && $0.isRetained
            }
        )
    }

    @Test("Logging in undoes a cancellation")
    func undo() throws {
        let world = try World()
        let first = try login(world, id: "a")["result"]?.objectValue
        let token = try #require(first?["token"]?.stringValue)
        world.sendRequest(0, "account/cancel", id: "b", token: token)
        try world.runAccount()
        #expect(try world.count("cancellation") == 1)
        world.clock.advance(seconds: 86_400)
        let second = try login(world, id: "c")["result"]?.objectValue
        #expect(second?["user"]?.objectValue?["uid"] == first?["user"]?.objectValue?["uid"])
        #expect(try world.count("cancellation") == 0)
        world.clock.advance(seconds: 6 * 86_400)
        try sweep(world)
        #expect(try world.count("account") == 1)
    }

    @Test("Erasing tells the terminals that are still logged in, and has the gate cut them off")
    func erase() throws {
        let world = try World()
        try world.makeUsers(1)
        try world.write { (tx) throws in
            var ids = IDSource()
            var effects = Effects()
            let user = try #require(try tx.accounts.find(World.uid(0)))
            try Cancellation.begin(
                user,
                actor: .system,
                World.topics,
                &ids,
                in: tx,
                effects: &effects
            )
            try effects.leave(to: .session, in: tx)
        }
        #expect(try !exists(world, World.uid(0)))
        try world.runSession()
        let told = world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/session")
        #expect(told.map { $0["reason"] } == ["accountCancelled"])
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
    }

    @Test("An anonymous user without devices goes after ninety idle days, one with a device stays")
    func idle() throws {
        let world = try World()
        try world.makeDevices(1)
        try world.makeUsers(2)
        try world.bind(0, 1)
        try world.runSession()
        world.clock.advance(seconds: 7_776_000)
        try sweep(world)
        #expect(try exists(world, World.uid(0)))
        world.clock.advance(seconds: 1)
        try sweep(world)
        #expect(try !exists(world, World.uid(0)))
        #expect(try exists(world, World.uid(1)))
    }

    @Test("Rows past their retention are deleted in steps")
    func retention() throws {
        var limits = Limits()
        limits.sweepStep = 2
        let world = try World(limits: limits)
        try world.makeDevices(1)
        try world.makeUsers(5)
        try world.write { (tx) throws in
            for number in 0..<5 {
                guard var session = try tx.sessions.find(SessionID(trusted: "s-\(number)")) else {
                    continue
                }
                try tx.sessions.end(&session, .loggedOut)
                _ = try tx.sessions.claim(notice: MessageID(trusted: "n-\(number)"))
                _ = try tx.logoutCodes.make(
                    World.uid(number),
                    on: World.terminal(number),
                    expiresAt: tx.now
                )
            }
        }
        world.clock.advance(seconds: 2_592_001)
        let sweeper = AccountSweeper(world.environment)
        var rounds = 1
        while try sweeper.sweep() { rounds += 1 }
        #expect(rounds == 3)
        for table in ["session", "notice", "logoutCode", "terminal"] {
            #expect(try world.count(table) == 0)
        }
    }

    @Test("A terminal is remembered while it has a session, or the same user had one lately")
    func terminals() throws {
        let world = try World()
        try world.makeUsers(2)
        try world.write { (tx) throws in
            for number in 0..<2 {
                guard var session = try tx.sessions.live(on: World.terminal(number)) else {
                    continue
                }
                try tx.sessions.end(&session, .loggedOut)
                var next = World.session(number, since: tx.now, id: "s-next-\(number)")
                try tx.sessions.begin(next, token: "next \(number)")
                if number == 1 { try tx.sessions.end(&next, .loggedOut) }
            }
        }
        world.clock.advance(seconds: 2_592_001)
        try sweep(world)
        #expect(try world.read { try $0.sessions.app(of: World.terminal(0)) } == World.app)
        #expect(try world.read { try $0.sessions.app(of: World.terminal(1)) } == nil)
        #expect(try world.count("session") == 1)
    }

    @Test("The audit trail is kept as long as the operator says, and erasures for good")
    func auditDays() throws {
        var limits = Limits()
        limits.auditDays = 30
        let world = try World(limits: limits)
        try world.makeUsers(1)
        try world.write { (tx) throws in
            for kind in [AuditEntry.Kind.loggedIn, .erased] {
                try tx.audit.add(
                    AuditEntry(kind: kind, uid: World.uid(0), app: World.app, actor: .system)
                )
            }
        }
        world.clock.advance(seconds: 30 * 86_400)
        try sweep(world)
        #expect(try world.count("audit") == 2)
        world.clock.advance(seconds: 1)
        try sweep(world)
        #expect(try world.read { try $0.audit.newest(limit: 10) }.map(\.kind) == [.erased])
    }
}
