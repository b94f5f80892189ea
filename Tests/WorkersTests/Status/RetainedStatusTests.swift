import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("A broker that lost its retained messages")
struct RetainedStatusTests {
    @Test("Each status is published again in order, and obsolete messages are cleared")
    func brokerForgot() throws {
        let world = try World(devices: 20, online: true, users: 2, bound: 1)
        for device in 0..<20 { world.sendReport(device, ["data": ["level": 7]]) }
        try world.runStatus()
        world.broker.forget()
        world.broker.forgetPublished()
        world.broker.retain(World.statusTopic(1, 0), Array("{}".utf8))
        try world.runStatus()

        #expect(world.broker.retained[World.statusTopic(1, 0)] == nil)
        for device in 0..<20 {
            #expect(world.broker.retained[World.statusTopic(0, device)] != nil)
            let last = world.broker.published(to: World.statusTopic(0, device)).last
            #expect(last?["version"] == 1 && last?["data"] == ["level": 7])
        }
        let order = world.broker.published.map(\.topic).filter { $0.hasSuffix("/status") && $0.contains("/user/u-0/") }
        #expect(Array(order.prefix(20)) == (0..<20).map { World.statusTopic(0, $0) })
    }

    @Test("A worker whose connection ends during the sweep hands it to the next one") func brokenOff() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        let swept = "ll/v1/user/+/device/+/status"
        world.broker.forget()
        _ = try world.loop(StatusHandler(world.environment))
        #expect(world.broker.filters.contains(swept))

        var next = try world.loop(StatusHandler(world.environment))
        try world.settle(&next)
        #expect(!world.broker.filters.contains(swept))
    }

    @Test("After a presence reconciliation, devices that were not announced are offline") func reconciliation() throws {
        let world = try World(devices: 6, online: true, users: 2, bound: 1)
        world.environment.limits.refreshPage = 2
        world.broker.forget()
        var loop = try world.loop(StatusHandler(world.environment))
        // Here, the test acts as the gate. When the service asks, the gate announces the connected devices.
        for device in [1, 4] {
            world.broker.send(
                "ll/v1/system/presence/\(World.did(device).text)",
                ["online": true, "connection": 2, "ts": 1]
            )
        }
        try world.settle(&loop)

        #expect(world.broker.published.contains { $0.topic == Topics.gateControl })
        let online = try (0..<6).filter { try world.status($0)?.presence.isOnline == true }
        #expect(online == [1, 4])
        let offline = world.broker.published(to: World.statusTopic(0, 0)).last
        #expect(offline?["online"] == false)
        #expect(world.broker.published(ending: "\(World.did(0).text)/event").last?["type"] == "offline")
    }

    @Test("Attributes that a new product version hides are removed from retained statuses")

    func productChanged() throws {
        let world = try World(devices: 1, online: true, users: 1, bound: 1)
        world.sendReport(0, ["data": ["level": 7, "power": true, "temperature": 20]])
        try world.runStatus()
        let next = Product(
            key: World.key,
            name: "Lamp",
            dataPoints: [DataPoint("power", .bool), DataPoint("level", .int, access: .writeOnly)]
        )

        try world.write { (tx) throws in
            try tx.products.save(next, secret: nil)
            try tx.refreshes.addAll(of: World.key)
        }
        try world.runStatus()

        let kept = try #require(world.broker.retained[World.statusTopic(0, 0)])
        #expect(try JSONValue.parse(kept).objectValue?["data"] == ["power": true])
    }

    @Test(
        "A presence reconciliation interrupted by a crash is started again, even if the session exists"
    )
    func reconciliationAgain() throws {
        let world = try World(devices: 3, online: true, users: 2, bound: 1)
        world.broker.forget()
        do { _ = try world.loop(StatusHandler(world.environment)) }
        try world.runStatus()
        for device in 0..<3 { #expect(try world.status(device)?.presence.isOnline == false) }
    }

}
