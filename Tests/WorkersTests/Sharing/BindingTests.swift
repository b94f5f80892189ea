import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Binding and subscribing")
struct BindingTests {
    @Test("Five wrong passcodes lock the device and the user for a while")
    func wrongPasscodes() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for number in 0..<5 { world.sendBinding(0, id: "w\(number)", passcode: "wrong-one") }
        world.sendBinding(0, id: "right")
        try world.runControl()
        #expect(
            world.answers().map(\.errorCode) == Array(repeating: "InvalidCredentials", count: 5) + ["TooManyRequests"]
        )
        world.clock.advance(seconds: 901)
        world.sendBinding(0, id: "later")
        try world.runControl()
        #expect(world.answers().last?.isOK == true)
    }

    @Test("Unbinding clears the retained status and passes the role on")
    func unbind() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for user in 0..<2 { world.sendBinding(user, id: "b") }
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] != nil)
        #expect(try world.read { try $0.bindings.find(World.did(0), World.uid(0)) }?.role == .special)

        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] == nil)
        #expect(world.broker.retained[World.statusTopic(1, 0)] != nil)
        #expect(try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }?.role == .special)
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").last?["type"] == "unbound")
    }

    @Test(
        "An app that lost a product neither shows nor commands its devices, and users can unbind them"
    )
    func lostProduct() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        world.sendReport(0, ["data": ["level": 1]])
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] != nil)

        try world.write { (tx) throws in
            try tx.apps.save(
                App(id: World.app, name: "Demo", products: .only([])),
                document: ["appId": "demo", "name": "Demo", "products": []],
                secret: nil
            )
            try tx.refreshes.addAll()
        }
        try world.runStatus()
        world.sendReport(0, ["data": ["level": 2]])
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] == nil)

        let did = JSONValue.string(World.did(0).text)
        world.sendRequest(0, "device/list", id: "l")
        world.sendRequest(0, "device/status", id: "s", ["did": did])
        world.sendRequest(0, "device/control", id: "c", ["did": did, "data": ["level": 3]])
        world.sendRequest(0, "device/unbind", id: "u", ["did": did])
        try world.runControl()
        #expect(world.answers().first?["result"]?.objectValue?["total"] == 0)
        #expect(world.answers().dropFirst().map(\.errorCode) == ["NotBound", "NotBound", nil])
    }

    @Test("Unsubscribing clears the retained status, and subscribing restores it")
    func subscribe() throws {
        let world = try World(devices: 1, online: true, users: 3)
        world.sendBinding(0, id: "b")
        try world.runControl()
        try world.runStatus()
        for (id, isOn) in [("off", false), ("on", true)] {
            world.sendRequest(
                0,
                "device/subscribe",
                id: id,
                ["did": .string(World.did(0).text), "subscribed": .bool(isOn)]
            )
            try world.runControl()
            try world.runStatus()
            #expect((world.broker.retained[World.statusTopic(0, 0)] != nil) == isOn)
        }
    }

    @Test("Wrong scans lock the user's scanning, but not the user's invitations by name") func wrongScans() throws {
        let world = try World(devices: 1, online: true, users: 2, bound: 1)
        world.sendRequest(
            0,
            "share/invite",
            id: "i",
            [
                "did": .string(World.did(0).text), "way": "user",
                "guest": ["type": "uid", "value": .string(World.uid(1).text)],
            ]
        )
        try world.runControl()
        let sharing = try #require(world.answers().last?["result"]?.objectValue?["sharingId"])

        for number in 0..<6 {
            world.sendRequest(1, "share/answer", id: "w\(number)", ["qrText": "wrong", "accept": true])
        }
        world.sendRequest(1, "share/answer", id: "n", ["sharingId": sharing, "accept": true])
        try world.runControl()

        let codes = world.answers(1).map(\.errorCode)
        let wrong = [String?](repeating: "ResourceNotFound", count: 5)
        #expect(codes == wrong + ["TooManyRequests", nil])
        #expect(
            try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }?.role == .guest
        )
    }
}
