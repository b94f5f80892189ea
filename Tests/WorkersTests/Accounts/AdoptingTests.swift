import Domain
import JSON
import Storage
import Testing

@testable import Workers

/// Tests in which Lena logs in on the terminal of an anonymous user with two lamps.
@Suite("Logging in and keeping earlier bindings")
struct AdoptingTests {
    private let world: AccountWorld
    private let anonymous: UserID
    private let lena: UserID

    init() throws {
        world = try AccountWorld()
        try world.world.makeDevices(4, online: true)
        try world.register(1, ["username": "lena"])
        try world.ask(0, "loginAnonymous")
        anonymous = UserID(trusted: world.uids[0] ?? "")
        lena = UserID(trusted: world.uids[1] ?? "")
        try bind(0, anonymous, .special)
        try bind(1, anonymous, .special)
    }

    private func bind(_ device: Int, _ uid: UserID, _ role: Binding.Role) throws {
        try world.world.write { (tx) throws in
            try tx.bindings.insert(
                Binding(
                    did: World.did(device),
                    uid: uid,
                    app: World.app,
                    role: role,
                    alias: "lamp \(device) of \(role)",
                    boundAt: tx.now
                )
            )
        }
    }

    @discardableResult
    private func login(adopt: Bool?) throws -> JSONObject {
        var params: JSONObject = [
            "username": "lena", "password": .string(AccountWorld.password),
        ]
        params["adopt"] = adopt.map { .bool($0) }
        return try world.ask(0, "login", params)
    }

    private func role(_ device: Int, _ uid: UserID) throws -> Binding.Role? {
        try world.world.read { try $0.bindings.find(World.did(device), uid)?.role }
    }

    @Test("Without adopt the answer says how many devices would move, and none is moved") func adoptable() throws {
        let result = try login(adopt: nil).result
        #expect(result["adoptable"] == 2 && result["adopted"] == nil)
        #expect(try role(0, lena) == nil && role(0, anonymous) == .special)
        // After Lena's login, the terminal no longer has an anonymous user.
        let again = try login(adopt: true).result
        #expect(again["adopted"] == 0 && again["adoptable"] == nil)
        #expect(try login(adopt: nil).result["adoptable"] == nil)
    }

    @Test("With adopt the account gets the devices with their roles, and the terminal is informed")

    func adopted() throws {
        let result = try login(adopt: true).result
        #expect(result["adopted"] == 2)
        #expect(try role(0, lena) == .special && role(1, lena) == .special)
        #expect(try role(0, anonymous) == nil && role(1, anonymous) == nil)
        let broker = world.world.broker
        let list = try #require(broker.published(ending: "/devices").last)
        #expect(list["total"] == 2)
        let told = broker.published(to: "ll/v1/user/\(lena.text)/device")
        #expect(told.map { $0["type"] } == ["bound", "bound"])
        let left = broker.published(to: "ll/v1/user/\(anonymous.text)/device")
        #expect(left.map { $0["reason"] } == ["transferred", "transferred"])
    }

    @Test("If both users have a device, the stronger role is kept, and the others are notified")
    func both() throws {
        try bind(0, lena, .normal)
        let other = UserID(trusted: "u-other")
        try bind(2, anonymous, .normal)
        try bind(2, other, .special)
        try bind(2, lena, .normal)
        #expect(try login(adopt: true).result["adopted"] == 3)
        #expect(try role(0, lena) == .special && role(2, lena) == .normal)
        #expect(try role(2, anonymous) == nil && role(2, other) == .special)
        let alias = try world.world.read { try $0.bindings.find(World.did(0), lena)?.alias }
        #expect(alias == "lamp 0 of normal")
        let broker = world.world.broker
        let told = broker.published(to: "ll/v1/user/u-other/device")
        #expect(told.map { $0["type"] } == ["usersChanged"])
        let mine = broker.published(to: "ll/v1/user/\(lena.text)/device").map { $0["type"] }
        #expect(Set(mine.map { $0?.stringValue }) == ["roleChanged", "bound", "changed"])
    }

    @Test("Schedules and waiting commands act for the account from then on") func schedulesAndCommands() throws {
        let did = World.did(0)
        try world.world.write { (tx) throws in
            let schedule = Schedule(
                id: ScheduleID(trusted: "t-1"),
                did: did,
                creator: anonymous,
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
        }
        let request = CommandRequest(
            did: did,
            data: ["level": 5],
            actor: Actor(.user, anonymous.text, terminal: World.terminal(0))
        )
        _ = try world.world.work { work in try CommandDispatcher.enqueue(request, product: World.product, in: &work) }
        try login(adopt: true)
        let (schedule, commands) = try world.world.read { tx in
            (try tx.schedules.find(ScheduleID(trusted: "t-1")), try tx.commands.open(did))
        }
        #expect(schedule?.creator == lena)
        #expect(commands.map(\.actor) == [Actor(.user, lena.text, terminal: World.terminal(0))])
    }

    @Test("Homes move along, and a device already in one of the account's homes stays there") func homes() throws {
        try bind(0, lena, .normal)
        try world.world.write { (tx) throws in
            for (id, uid, name) in [("h-a", anonymous, "Cabin"), ("h-b", lena, "House")] {
                let home = Home(id: HomeID(trusted: id), uid: uid, name: name, place: nil, createdAt: tx.now)
                try tx.homes.save(home)
                try tx.homes.put(World.did(0), into: home.id, of: uid)
            }
            try tx.homes.put(World.did(1), into: HomeID(trusted: "h-a"), of: anonymous)
        }
        try login(adopt: true)
        let (names, first, second) = try world.world.read { tx in
            (
                try tx.homes.all(of: lena).map(\.name), try tx.homes.home(of: World.did(0), lena),
                try tx.homes.home(of: World.did(1), lena)
            )
        }
        #expect(Set(names) == ["Cabin", "House"])
        #expect(first?.text == "h-b" && second?.text == "h-a")
    }

    @Test("Devices beyond an account's limit stay where they are, without counting")
    func room() throws {
        world.world.environment.limits.devicesPerUser = 1
        #expect(try login(adopt: nil).result["adoptable"] == 1)
        try world.ask(0, "logout")
        let another = try AdoptingTests()
        another.world.world.environment.limits.devicesPerUser = 1
        #expect(try another.login(adopt: true).result["adopted"] == 1)
        #expect(try another.role(0, another.lena) == .special)
        #expect(try another.role(1, another.anonymous) == .special)
    }

    @Test("After a kill at any step, either all is moved and the session exists, or nothing is moved")

    func killed() throws {
        for point in [Interruption.Point.before, .after] {
            for passes in 0..<3 {
                let test = try AdoptingTests()
                test.world.send(
                    0,
                    "login",
                    [
                        "countryCode": "49", "username": "lena", "adopt": true,
                        "password": .string(AccountWorld.password),
                    ]
                )
                let interruption = Interruption(point, passes: passes)
                try test.world.world.run { Interrupting(inner: RequestHandler.account($0), interruption: interruption) }
                // A caller that gets no answer repeats the request. The first request may already have taken full
                // effect.
                let again = try test.login(adopt: true).result
                #expect(again["user"]?.objectValue?["uid"] == .string(test.lena.text))
                let roles = try (0..<2).map { try test.role($0, test.lena) }
                #expect(roles == [.special, .special])
                #expect(try test.world.world.count("binding") == 2)
            }
        }
    }

    @Test("A login by a code, by a provider or by the app's own id can adopt devices, too") func otherWays() throws {
        let providers: JSONObject = ["google": ["enabled": true, "clientIds": ["ours"]]]
        let world = try AccountWorld(providers: providers)
        world.pool.identify = { _, _ in
            .success(VerifiedIdentity(provider: .google, subject: "1"))
        }
        try world.world.makeDevices(3)
        let phone: JSONObject = ["phone": "1512345678"]
        let google: JSONObject = ["provider": "google", "credential": ["identityToken": "a.b.c"]]
        let own: JSONObject = ["uid": "app-7", "password": .string(AccountWorld.password)]
        try world.register(10, phone)
        try world.ask(11, "loginWithProvider", google)
        try world.ask(12, "loginOrRegister", own)
        world.world.clock.advance(seconds: 61)
        for (number, method) in ["login", "loginWithProvider", "loginOrRegister"].enumerated() {
            try world.ask(20 + number, "loginAnonymous")
            let uid = UserID(trusted: world.uids[20 + number] ?? "")
            try world.world.write { (tx) throws in
                try tx.bindings.insert(
                    Binding(did: World.did(number), uid: uid, app: World.app, role: .special, boundAt: tx.now)
                )
            }
            var params = [phone, google, own][number]
            if number == 0 {
                params["code"] = .string(try world.code(20, "login", phone))
            }
            params["adopt"] = true
            let result = try world.ask(20 + number, method, params).result
            #expect(result["adopted"] == 1 && result["isNew"] == false, "\(method)")
        }
    }
}
