import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Registration of devices")
struct DeviceRegistrationTests {
    private func register(_ world: World, id: String, secret: String? = nil) throws -> JSONObject? {
        world.broker.send(
            "ll/v1/product/\(World.key.text)/0123456789ab/register",
            ["id": .string(id), "mac": "0123456789ab", "passcode": "123456", "oldSecret": secret.map { .string($0) }]
        )
        try world.runStatus()
        return world.broker.published(ending: "/registered").last
    }

    private func result(_ answer: JSONObject?) throws -> (did: String, secret: String) {
        let result = try #require(answer?["result"]?.objectValue)
        return (try #require(result["did"]?.stringValue), try #require(result["secret"]?.stringValue))
    }

    @Test("A device that registers again keeps its id and gets a new secret")
    func registers() throws {
        let world = try World()
        let first = try result(register(world, id: "a"))
        let again = try result(register(world, id: "a"))
        let second = try result(register(world, id: "b"))
        #expect(first == again)
        #expect(first.did == second.did && first.secret != second.secret)
        #expect(try world.count("device") == 1)
        // The change in the credentials file makes the gate close the old connection. If the service also sent a
        // message, the gate could close the new connection.
        #expect(!world.broker.published.contains { $0.topic == Topics.gateControl })
    }

    /// Makes user 0 the special user of a device.
    private func own(_ did: DeviceID, in tx: Transaction) throws {
        try tx.bindings.insert(Binding(did: did, uid: World.uid(0), app: World.app, role: .special, boundAt: tx.now))
    }

    @Test("A bound device must present its old secret; the owner is notified of other tries, and these are limited")
    func boundDevice() throws {
        let world = try World()
        try world.makeUsers(1)
        let first = try result(register(world, id: "a"))
        let did = DeviceID(trusted: first.did)
        try world.write { (tx) throws in
            try own(did, in: tx)
        }
        for number in 0..<5 {
            #expect(try register(world, id: "w\(number)", secret: "wrong")?.errorCode == "Forbidden")
        }
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").count == 5)
        #expect(try register(world, id: "c", secret: "wrong")?.errorCode == "TooManyRequests")
        let renewed = try result(register(world, id: "d", secret: first.secret))
        #expect(renewed.did == first.did && renewed.secret != first.secret)
        #expect(try register(world, id: "e", secret: "wrong")?.errorCode == "TooManyRequests")
        world.clock.advance(seconds: 901)
        #expect(try register(world, id: "f", secret: "wrong")?.errorCode == "Forbidden")
    }

    @Test(
        "A permitted reset ends the bindings, deletes stored data, and begins a new ownership period"
    )
    func reset() throws {
        let world = try World()
        try world.makeUsers(1)
        let first = try result(register(world, id: "a"))
        let did = DeviceID(trusted: first.did)
        try world.write { (tx) throws in
            try own(did, in: tx)
            try tx.devices.allowReset(did, until: tx.now.adding(seconds: 900))
        }
        world.broker.send("ll/v1/device/\(did.text)/report", ["data": ["level": 1]])
        try world.runStatus()
        let topic = "ll/v1/user/u-0/device/\(did.text)/status"
        #expect(world.broker.retained[topic] != nil)

        _ = try result(register(world, id: "b"))
        #expect(world.broker.retained[topic] == nil)
        #expect(try world.count("binding") == 0)
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").last?["reason"] == "reset")
        #expect(try world.read { try $0.devices.find(did) }?.ownership == 2)
    }
}
