import Domain
import JSON
import Storage
import StoreTestKit
import Testing
import Wire

@testable import Workers

extension CancellationTests {
    @Test("An anonymous user without devices is erased after ninety idle days, and one with a device stays")

    func idle() throws {
        let world = try World()
        try world.makeDevices(1)
        try world.makeUsers(2)
        try world.bind(0, 1)
        try world.runSession()
        world.clock.advance(seconds: 7_776_000)
        try world.runMaintenance()
        #expect(try exists(world, World.uid(0)))
        world.clock.advance(seconds: 1)
        try world.runMaintenance()
        #expect(try !exists(world, World.uid(0)))
        #expect(try exists(world, World.uid(1)))
    }

    @Test("Expired rows are deleted in steps")
    func retention() throws {
        var limits = Limits()
        limits.sweepStep = 2
        let world = try World(limits: limits)
        try world.makeDevices(1)
        try world.makeUsers(5)
        try world.write { (tx) throws in
            for number in 0..<5 {
                guard var session = try tx.sessions.find(SessionID(trusted: "s-\(number)")) else { continue }
                try tx.sessions.end(&session, .loggedOut)
                _ = try tx.sessions.claim(notice: MessageID(trusted: "n-\(number)"))
                _ = try tx.logoutCodes.make(World.uid(number), on: World.terminal(number), expiresAt: tx.now)
            }
        }
        world.clock.advance(seconds: 2_592_001)
        var steps: [String: Int] = [:]
        for job in ExpiredRows.all(world.environment) { steps[job.name] = try world.run(job) }
        for kind in ["session", "notice", "logoutCode"] { #expect(steps[kind] == 3) }
        for table in ["session", "notice", "logoutCode", "terminal"] { #expect(try world.count(table) == 0) }
    }

    @Test("A terminal is remembered while it has a session, or if the same user recently had one")

    func terminals() throws {
        let world = try World()
        try world.makeUsers(2)
        try world.write { (tx) throws in
            for number in 0..<2 {
                guard var session = try tx.sessions.live(on: World.terminal(number)) else { continue }
                try tx.sessions.end(&session, .loggedOut)
                var next = World.session(number, since: tx.now, id: "s-next-\(number)")
                try tx.sessions.begin(next, token: "next \(number)")
                if number == 1 { try tx.sessions.end(&next, .loggedOut) }
            }
        }
        world.clock.advance(seconds: 2_592_001)
        try world.runMaintenance()
        #expect(try world.read { try $0.sessions.app(of: World.terminal(0)) } == World.app)
        #expect(try world.read { try $0.sessions.app(of: World.terminal(1)) } == nil)
        #expect(try world.count("session") == 1)
    }

    @Test("The audit trail is kept as long as the operator determines, and erasures forever") func auditDays() throws {
        var limits = Limits()
        limits.auditDays = 30
        let world = try World(limits: limits)
        try world.makeUsers(1)
        try world.write { (tx) throws in
            for kind in [AuditEntry.Kind.loggedIn, .erased] {
                try tx.audit.add(AuditEntry(kind: kind, uid: World.uid(0), app: World.app, actor: .system))
            }
        }
        world.clock.advance(seconds: 30 * 86_400)
        try world.runMaintenance()
        #expect(try world.count("audit") == 2)
        world.clock.advance(seconds: 1)
        try world.runMaintenance()
        #expect(try world.read { try $0.audit.newest(limit: 10) }.map(\.kind) == [.erased])
    }
}
