import Domain
import JSON
import Storage
import StoreTestKit
import Testing
import Wire

@testable import Workers

@Suite("Ending an account")
struct CancellationTests {
    func login(_ world: World, id: String) throws -> JSONObject {
        world.broker.send(
            World.requestTopic(0, "account/loginAnonymous"),
            ["id": .string(id), "params": ["countryCode": "49", "deviceId": "0123456789abcdef"]]
        )
        try world.runAccount()
        return try #require(world.answers().last)
    }

    func exists(_ world: World, _ uid: UserID) throws -> Bool {
        try world.read { try $0.accounts.find(uid) } != nil
    }

    @Test("Cancelling ends all sessions, and after seven days all the user's data is deleted") func cancel() throws {
        let world = try World()
        try world.makeDevices(2, online: true)
        try world.makeUsers(2)
        try world.bind(0, 0)
        try world.bind(0, 1, .normal)
        try world.bind(1, 0)
        let actor = Actor(.user, "u-0", terminal: World.terminal(0))
        try world.write { (tx) throws in
            let event = Event(id: "e-1", type: "online", ts: tx.now, actor: actor)
            try tx.events.append([(World.did(0), event)])
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
        try world.runMaintenance()
        #expect(try exists(world, World.uid(0)))
        world.clock.advance(seconds: 604_800)
        try world.runMaintenance()

        #expect(try !exists(world, World.uid(0)))
        #expect(try world.count("binding") == 1)
        let heir = try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }
        #expect(heir?.role == .special)
        #expect(try world.count("session WHERE uid = 'u-0'") == 0)
        for table in ["event", "command"] {
            #expect(try world.count("\(table) WHERE actorId = 'u-0'") == 0)
            let erased = "actorKind = 'user' AND actorId = 'erased' AND actorTerminal IS NULL"
            #expect(try world.count("\(table) WHERE \(erased)") == 1)
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

    /// Returns the columns in which a user's id occurs, except those of the audit trail.
    private func places(of uid: UserID, _ world: World) throws -> [String] {
        let columns = try world.read { tx in
            try tx.sql.query(TestStore.columns) { (table: $0.next(String.self), column: $0.next(String.self)) }
        }
        let bytes = TestStore.isPostgres ? "TEXT" : "BLOB"
        return try columns.filter { table, column in
            guard table != "audit" else { return false }
            let found = "instr(CAST(\(column) AS \(bytes)), CAST('\(uid.text)' AS \(bytes))) > 0"
            return try world.count("\(table) WHERE \(found)") > 0
        }.map { "\($0.table).\($0.column)" }.sorted()
    }

    @Test("After a user is erased, only the audit trail and the event account.deleted are left")
    func nothingLeft() throws {
        let world = try World()
        try world.makeDevices(2, online: true)
        try world.makeUsers(3)
        let uid = World.uid(0)
        try world.bind(0, 0, .owner)
        try world.bind(0, 1, .guest)
        try world.bind(1, 1, .owner)
        try world.bind(1, 0, .guest)
        try world.write { (tx) throws in
            let actor = Actor(.user, uid.text, terminal: World.terminal(0))
            let event = Event(id: "e-1", type: "online", ts: tx.now, actor: actor)
            try tx.events.append([(World.did(1), event)])
            for (number, (inviter, guest)) in [(0, 1), (1, 0)].enumerated() {
                try tx.sharings.insert(
                    Sharing(
                        id: SharingID(trusted: "sh-\(number)"),
                        did: World.did(inviter),
                        app: World.app,
                        inviter: World.uid(inviter),
                        guest: World.uid(guest),
                        way: .user,
                        status: .accepted,
                        createdAt: tx.now,
                        expiresAt: tx.now.adding(seconds: 60),
                        acceptedAt: tx.now
                    ),
                    name: nil,
                    code: nil
                )
            }
            let home = Home(id: HomeID(trusted: "h-1"), uid: uid, name: "h", place: nil, createdAt: tx.now)
            try tx.homes.save(home)
            try tx.homes.put(World.did(0), into: home.id, of: uid)
            let schedule = Schedule(
                id: ScheduleID(trusted: "t-1"),
                did: World.did(0),
                creator: uid,
                app: World.app,
                timing: Timing(days: .weekly([1]), time: .clock(60), zone: "UTC"),
                attrs: ["power": true],
                remark: "",
                isEnabled: true,
                misfire: .skip,
                createdAt: tx.now,
                nextAt: tx.now.adding(seconds: 86_400)
            )
            try tx.schedules.save(schedule, masked: schedule.attrs)
            try tx.replans.add(.user(uid))
            _ = try tx.links.make(
                .verifyEmail,
                uid: uid,
                address: "a@example.com",
                expiresAt: tx.now.adding(seconds: 60)
            )
            _ = try tx.logoutCodes.make(uid, on: World.terminal(0), expiresAt: tx.now)
            for subject in [
                "bindTriesPerUser/\(uid.text)/x", "bindTriesPerUser/qr/\(uid.text)",
                "password/user/\(uid.text)", "link/try/\(uid.text)", "taken/\(uid.text)/phone",
                "invite:\(uid.text)", "remoteDevice:\(uid.text)",
            ] {
                try tx.attempts.add(subject, windowSeconds: 86_400)
            }
            try tx.attempts.add("invite:u-1", windowSeconds: 86_400)
            let letters = [
                ("t/\(uid.text)", "p"), ("t", "of \(uid.text)"), ("app/\(World.terminal(0).text)/x", "p"),
                ("t", "of u-1"),
            ].map { (topic: $0, payload: Array($1.utf8), isShapeOnly: false, reason: "r") }
            _ = try tx.deadLetters.add(letters, worker: "account", keeping: 10)
        }
        // The test sends a request to create the command, as an app would.
        world.sendRequest(0, "device/control", id: "c", ["did": .string(World.did(0).text), "data": ["power": true]])
        try world.runControl()
        #expect(try places(of: uid, world).count > 10)

        let summary = try world.read { tx in try ErasureSummary(#require(try tx.accounts.find(uid)), in: tx) }
        #expect(summary.devices.map(\.did) == [World.did(0), World.did(1)])
        #expect(summary.devices.map(\.losing) == [[World.uid(1)], []])
        #expect(summary.devices.map(\.isLeftAlone) == [true, false])
        #expect(summary.schedules == 1 && summary.homes == 1 && summary.sessions == 1)
        let user = try #require(try world.read { try $0.accounts.find(uid) })
        try world.environment.work(publishedBy: .session) { work in
            try work.tx.lock(users: [user.uid])
            try Cancellation.begin(user, by: .system, in: &work)
        }
        try world.runMaintenance()
        // Unpublished messages contain their recipients' ids, so the workers must publish these messages before the
        // search.
        try world.runStatus()
        try world.runControl()
        try world.runSession()
        try world.runAccount()

        // PostgreSQL converts bytes to hex digits, so the search doesn't find the user's id.
        #expect(try places(of: uid, world) == (TestStore.isPostgres ? [] : ["eventLog.messages"]))
        let left = try world.read { tx in
            var left: [EventType] = []
            _ = try tx.eventLog.read(after: .start, withBulk: true) { event, _ in
                if event.uid == uid || String(decoding: event.data, as: UTF8.self).contains(uid.text) {
                    left.append(event.type)
                }
                return true
            }
            return left
        }
        #expect(left == [.accountDeleted])
        let letters = try world.read { tx in try tx.sql.query("SELECT topic FROM deadLetter") { $0.next(String.self) } }
        // A dead letter about a worker's own state doesn't concern the erased user.
        #expect(letters.filter { !$0.contains("/system/") } == ["t"], "that of another user")
        #expect(try world.count("attempt WHERE subject = 'invite:u-1'") == 1)
        let lost = try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }
        #expect(lost == nil)
        let kept = try world.read { try $0.bindings.find(World.did(1), World.uid(1)) }
        #expect(kept?.role == .owner)
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
        try world.runMaintenance()
        #expect(try world.count("account") == 1)
    }

    @Test("Erasing notifies the terminals that are still logged in, and the gate cuts them off") func erase() throws {
        let world = try World()
        try world.makeUsers(1)
        let user = try #require(try world.read { try $0.accounts.find(World.uid(0)) })
        try world.environment.work(publishedBy: .session) { work in
            try work.tx.lock(users: [user.uid])
            try Cancellation.begin(user, by: .system, in: &work)
        }
        #expect(try !exists(world, World.uid(0)))
        try world.runSession()
        let told = world.broker.published(to: "ll/v1/app/demo/\(World.terminal(0).text)/session")
        #expect(told.map { $0["reason"] } == ["accountCancelled"])
        #expect(world.broker.published.filter { $0.topic == Topics.gateControl }.count == 1)
    }
}
