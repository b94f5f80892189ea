import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Limits for devices and proofs")
struct DeviceCountTests {
    // MARK: Binding

    private func bind(_ world: World, _ user: Int, _ id: String, _ passcode: String? = nil) throws -> String? {
        world.broker.forgetPublished()
        if let passcode { world.sendBinding(user, id: id, passcode: passcode) } else { world.sendBinding(user, id: id) }
        try world.runControl()
        return world.answers(user).last?.errorCode
    }

    /// Pairs of limits with which a second user can't bind a device.
    ///
    /// One limit is the number of a device's users, and the other is the number of a user's devices.
    static let full: [(users: Int, devices: Int64)] = [(1, 1000), (10_000, 0)]

    @Test("A binding beyond a device's or a user's limit is forbidden", arguments: full) func bindings(
        users: Int,
        devices: Int64
    ) throws {
        var limits = Limits()
        limits.usersPerDevice = users
        limits.devicesPerUser = devices
        let world = try World(devices: 1, online: true, users: 2, bound: 1, limits: limits)
        #expect(try bind(world, 1, "bind") == "Forbidden")

        world.sendRequest(0, "share/invite", id: "invite", ["did": .string(World.did(0).text), "way": "qrcode"])
        try world.runControl()
        let result = world.answers(0).last?["result"]?.objectValue
        let code = result?["qrCode"]?.objectValue?["text"]
        world.sendRequest(1, "share/answer", id: "answer", ["qrText": code, "accept": true])
        try world.runControl()
        #expect(world.answers(1).last?.errorCode == "Forbidden")
        #expect(try world.count("binding") == 1)
        // The service refused the user's answer to the invitation, but the invitation is still valid.
        let sharings = try world.read { try $0.sharings.open(of: World.did(0)) }
        #expect(sharings.map(\.status) == [.pending])
    }

    @Test("A stranger's wrong passcodes don't lock out the owner")
    func strangers() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for user in 1...2 {
            for number in 0..<5 { _ = try bind(world, user, "w\(user)-\(number)", "wrong-one") }
            #expect(try bind(world, user, "w\(user)") == "TooManyRequests")
        }
        #expect(try bind(world, 0, "right") == nil)
    }

    @Test("Fifty wrong passcodes lock the device for passcodes, and its label still works") func fifty() throws {
        let world = try World(devices: 1, online: true, users: 12)
        for user in 1...10 {
            for number in 0..<5 {
                #expect(try bind(world, user, "w\(user)-\(number)", "wrong-one") == "InvalidCredentials")
            }
        }
        #expect(try bind(world, 0, "right") == "TooManyRequests")
        let device = try #require(try world.read { try $0.devices.find(World.did(0)) })
        let label = try world.write { $0.devices.label(device.productKey, device.mac) }
        for (number, claim) in ["LL1:wrong", label].enumerated() {
            world.sendRequest(
                11,
                "device/bindRemote",
                id: "c\(number)",
                [
                    "productKey": .string(device.productKey.text), "mac": .string(device.mac.text),
                    "claim": .string(claim),
                ]
            )
            try world.runControl()
        }
        #expect(world.answers(11).map(\.errorCode) == ["TooManyRequests", nil])
    }

    @Test("Tries for an unknown device count for no other device")
    func absent() throws {
        let world = try World(devices: 2, online: true, users: 1)
        func tryAbsent(_ name: String, _ id: String) throws -> String? {
            world.broker.forgetPublished()
            world.sendRequest(0, "device/bind", id: id, ["did": .string(name), "passcode": "123456"])
            try world.runControl()
            return world.answers(0).last?.errorCode
        }
        let codes = try (0..<6).map { try tryAbsent("d-absent", "a\($0)") }
        #expect(codes == [String?](repeating: "InvalidCredentials", count: 5) + ["TooManyRequests"])
        for number in 0..<20 { #expect(try tryAbsent("d-absent-\(number)", "b\(number)") == "InvalidCredentials") }
        #expect(try bind(world, 0, "right") == nil)
    }

    @Test("A terminal has ten wrong tries over all devices")
    func terminal() throws {
        let world = try World(devices: 12, online: true, users: 2)
        func tryDevice(_ number: Int, _ user: Int = 0) throws -> String? {
            world.broker.forgetPublished()
            let params: JSONObject = ["did": .string(World.did(number).text), "passcode": "wrong-one"]
            world.sendRequest(user, "device/bind", id: "w\(number)", params)
            try world.runControl()
            return world.answers(user).last?.errorCode
        }
        let codes = try (0..<11).map { try tryDevice($0) }
        #expect(codes == [String?](repeating: "InvalidCredentials", count: 10) + ["TooManyRequests"])
        #expect(try tryDevice(11, 1) == "InvalidCredentials")
    }

    // MARK: Registrations

    private func register(_ world: World, _ number: Int, from source: String?) throws -> String? {
        let mac = "aabbcc" + String(1_000_000 + number).dropFirst()
        world.broker.send(
            "ll/v1/product/\(World.key.text)/\(mac)/register",
            JSONObject([("id", .string("r\(number)")), ("mac", .string(mac)), ("passcode", "123456")]).encoded(),
            source: source
        )
        world.broker.forgetPublished()
        try world.runStatus()
        return world.broker.published(ending: "/registered").last?.errorCode
    }

    @Test("An address can register thirty new devices a minute, and known devices at any time")

    func registrations() throws {
        let world = try World()
        for number in 0..<30 { #expect(try register(world, number, from: "10.0.0.7") == nil) }
        #expect(try register(world, 30, from: "10.0.0.7") == "TooManyRequests")
        #expect(try register(world, 3, from: "10.0.0.7") == nil)
        #expect(try register(world, 31, from: "10.0.0.8") == nil)
        #expect(try register(world, 32, from: nil) == nil)
        world.clock.advance(seconds: 60)
        #expect(try register(world, 30, from: "10.0.0.7") == nil)
    }

    @Test("A product's new devices per hour are limited, whatever their addresses")

    func registrationsOfProduct() throws {
        let world = try World()
        world.environment.limits.counts.registrationsPerProduct = 3
        let codes = try (0..<4).map { try register(world, $0, from: nil) }
        #expect(codes == [nil, nil, nil, "TooManyRequests"])
        world.clock.advance(seconds: 3600)
        #expect(try register(world, 3, from: nil) == nil)
    }

    // MARK: Devices that were never bound

    private func eraseUnbound(_ world: World) throws -> [String] {
        var job = UnboundDevices(world.environment)
        repeat { while try job.step() {} } while !job.place.isEmpty
        return try world.read { tx in try tx.sql.query("SELECT did FROM device ORDER BY did") { $0.next(String.self) } }
    }

    @Test("A device that was never bound is erased 30 days after it was last seen")
    func unbound() throws {
        let world = try World(devices: 4, online: true, users: 1)
        world.sendBinding(0, id: "b")
        try world.runControl()
        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        for number in 1..<4 { world.sendReport(number, ["data": ["level": 1]]) }
        try world.runStatus()
        try world.write { (tx) throws in
            // Devices 2 and 3 must not be erased: device 2 stays online, and the MAC address of device 3 is on the
            // product's list.
            let record = try tx.devices.find(World.did(3))
            try record.map { try tx.products.list($0.productKey, [$0.mac]) }
            try tx.sql.run("UPDATE status SET online = 0 WHERE did <> $1", World.did(2).text)
        }
        let all = (0..<4).map { World.did($0).text }
        world.clock.advance(seconds: 29 * 86_400)
        #expect(try eraseUnbound(world) == all)
        world.clock.advance(seconds: 2 * 86_400)
        #expect(try eraseUnbound(world) == [all[0], all[2], all[3]])
        for table in ["status", "history", "event", "inbox"] {
            let left = try world.read { tx in
                try tx.sql.integer("SELECT count(*) FROM \(table) WHERE did = '\(all[1])'")
            }
            #expect(left == 0, "\(table)")
        }
    }
}
