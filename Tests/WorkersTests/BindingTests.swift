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
            world.answers().map(\.errorCode) == Array(repeating: "InvalidCredentials", count: 5) + [
                "TooManyRequests"
            ]
        )
        world.clock.advance(seconds: 901)
        world.sendBinding(0, id: "later")
        try world.runControl()
        #expect(world.answers().last?.isOK == true)
    }

    @Test("Unbinding clears the kept status and passes the role on")
    func unbind() throws {
        let world = try World(devices: 1, online: true, users: 3)
        for user in 0..<2 { world.sendBinding(user, id: "b") }
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] != nil)
        #expect(
            try world.read { try $0.bindings.find(World.did(0), World.uid(0)) }?.role == .special
        )

        world.sendRequest(0, "device/unbind", id: "u", ["did": .string(World.did(0).text)])
        try world.runControl()
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(0, 0)] == nil)
        #expect(world.broker.retained[World.statusTopic(1, 0)] != nil)
        #expect(
            try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }?.role == .special
        )
        #expect(world.broker.published(to: "ll/v1/user/u-0/device").last?["type"] == "unbound")
    }

    @Test("Unsubscribing clears the kept status, and subscribing brings it back")
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

}
