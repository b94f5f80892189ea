import Domain
import JSON
import Mosquitto
import Storage
import Synchronization
import TestKit
import Testing

@testable import Workers

@Suite("The gate's notices about the broker's queues")
struct QueueNewsTests {
    private func tell(_ world: World, _ word: String, _ payload: JSONObject) throws {
        world.broker.send("ll/v1/system/\(word)", payload)
        try world.runSession()
    }

    private func missed(_ dids: [Int], all: Bool, user: Int = 0) -> JSONObject {
        [
            "uid": .string(World.uid(user).text), "all": .bool(all), "ts": 1,
            "dids": .array(dids.map { .string(World.did($0).text) }),
        ]
    }

    @Test("The newest statuses that a terminal missed are published again", arguments: [false, true]) func missed(
        all: Bool
    ) throws {
        let world = try World(devices: 3, online: true, users: 2, bound: 2)
        try tell(world, "missed", missed(all ? [] : [0, 2], all: all))
        let waiting = try world.read { try $0.refreshes.next(limit: 10) }
        let wanted = all ? [0, 1, 2] : [0, 2]
        #expect(waiting == wanted.map { Refresh(did: World.did($0), uid: World.uid(0)) })
        try world.runStatus()
        for device in 0..<3 {
            let count = world.broker.published(to: World.statusTopic(0, device)).count
            #expect(count == (wanted.contains(device) ? 1 : 0))
            #expect(world.broker.published(to: World.statusTopic(1, device)).isEmpty)
        }
    }

    @Test("Devices that the user doesn't have, or isn't subscribed to, are left out")
    func strange() throws {
        let world = try World(devices: 2, users: 2)
        try world.bind(0, 0, .special)
        try world.write { try $0.bindings.setSubscribed(World.did(0), World.uid(0), to: false) }
        try tell(world, "missed", missed([0, 1], all: false))
        try tell(world, "missed", missed([], all: true))
        #expect(try world.read { try !$0.refreshes.isWaiting() })
    }

    @Test("The notices about sessions to end go to the workers that end them, and never concern a worker's own session")
    func owed() throws {
        let world = try World(devices: 0, users: 0)
        let ended = Ended()
        world.environment.endOwed = { clients in ended.clients.withLock { $0 += clients } }
        try tell(world, "session-owed", ["clientIds": ["one", "svc.lamplighter.control", "two"]])
        #expect(ended.clients.withLock(\.self) == ["one", "two"])
    }

    private final class Ended: Sendable {
        let clients = Mutex<[String]>([])
    }

    @Test("An ended session is gone from the broker", .enabled(if: BrokerProcess.isInstalled)) func gone() throws {
        let broker = try BrokerProcess()
        let names = (0..<50).map { "left-\($0)" }
        func come(_ name: String) throws -> Bool {
            var options = ConnectionOptions(host: "127.0.0.1", port: broker.port, clientID: name)
            options.sessionExpirySeconds = 3600
            var client = try MosquittoClient(options, waker: Waker())
            defer { client.disconnect() }
            return try client.connect()
        }
        for name in names { _ = try come(name) }
        #expect(try come(names[7]))
        let options = ConnectionOptions(host: "127.0.0.1", port: broker.port, clientID: "")
        let sessions = OwedSessions(options)
        sessions.end(names)
        let end = ContinuousClock.now + .seconds(30)
        while !sessions.isIdle, ContinuousClock.now < end { PlainThread.pause(.milliseconds(5)) }
        #expect(sessions.isIdle)
        for name in names { #expect(try !come(name)) }
    }
}
