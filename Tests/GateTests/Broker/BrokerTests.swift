import Credentials
import Glibc
import JSON
import TestKit
import Testing

@testable import Gate

@Suite("The gate in Mosquitto", .endsInTime)
struct BrokerTests {
    @Test(
        "Each principal connects, and is refused with the code for the reason",
        arguments: [5, 4]
    )
    func codes(version: UInt8) throws {
        let broker = try GateBroker(Cast.records())
        let (refused, denied): (UInt8, UInt8) = version == 5 ? (0x87, 0x87) : (5, 0x80)

        for hello in [
            Cast.product(version), Cast.device(version), Cast.app(version), Cast.worker("a", version),
            MiniClient.Hello("service:sms", "sms", "svc.sms.1", version: version),
        ] {
            #expect(try MiniClient(broker.port, hello).code == 0)
            var wrong = hello
            wrong.password = "wrong"
            #expect(try MiniClient(broker.port, wrong).code == refused)
            wrong = hello
            wrong.clientId = "somebody"
            #expect(try MiniClient(broker.port, wrong).code == refused)
        }
        #expect(try MiniClient(broker.port, MiniClient.Hello(nil, nil, "x", version: version)).code == refused)
        #expect(try MiniClient(broker.port, MiniClient.Hello("", "", "", version: version)).code == refused)

        let device = try MiniClient(broker.port, Cast.device(version))
        #expect(try device.subscribe("\(Cast.ownDevice)/command") == 1)
        #expect(try device.subscribe("\(Cast.ownDevice)/#") == denied)
        #expect(try device.subscribe("#") == denied)
        let accepted: UInt8 = version == 5 ? 0x10 : 0
        let denial: UInt8 = version == 5 ? 0x87 : 0
        #expect(try device.publish("\(Cast.ownDevice)/report") == accepted)
        #expect(try device.publish("\(Cast.ownDevice)/command") == denial)
        #expect(try device.publish("\(Cast.ownDevice)/report", retained: true) == denial)
        #expect(try device.publish("$CONTROL/lamplighter/v1") == denial)
    }

    @Test("While the file is missing or damaged, only the worker named in the options is admitted")

    func closed() throws {
        let broker = try GateBroker(Cast.records())
        #expect(try MiniClient(broker.port, Cast.device()).code == 0)

        try GateBroker.write("nonsense that is longer than a header", to: broker.credentials)
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.worker()).code == 0)

        unlink(broker.credentials)
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.worker()).code == 0)

        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(Cast.records())
        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }

    @Test("A client can connect as soon as it is added to the file, and not after it is removed")
    func live() throws {
        let broker = try GateBroker(
            Cast.records(),
            options: ["device_messages_per_second": 0]
        )
        var file = try CredentialsFile(path: broker.credentials)

        for round in 0..<1_000 {
            try file.append([
                .device(did: World.did, secret: GateBroker.hash("secret \(round)"))
            ])
            let new = try MiniClient(broker.port, Cast.device(password: "secret \(round)"))
            let old = try MiniClient(broker.port, Cast.device(password: "secret \(round - 1)"))
            #expect(new.code == 0 && old.code == 0x87)
            if round % 100 == 0 { try file.rewrite(Cast.records()) }
        }
        try file.append([.removed(.device, key: World.did)])
        #expect(try MiniClient(broker.port, Cast.device()).code == 0x87)
    }

    @Test("A device loses its connection when its record is replaced or removed")
    func rotated() throws {
        let broker = try GateBroker(Cast.records())
        let device = try MiniClient(broker.port, Cast.device())
        let other = try MiniClient(broker.port, Cast.product())

        try broker.append(.device(did: World.did, secret: GateBroker.hash("new")))

        #expect(try device.waitForEnd() != nil)
        #expect(try other.subscribe("ll/v1/product/\(World.key)/\(World.mac)/registered") == 1)
    }

    @Test("Presence numbers connections and gives the reason of each end")
    func presence() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/presence/+") == 1)
        func next() throws -> (online: Bool, connection: Int64, reason: String?) {
            let message = try #require(try worker.receive())
            #expect(message.topic == "ll/v1/system/presence/\(World.did)")
            let payload = try JSONValue.parse(Array(message.payload.utf8)).objectValue
            let connection = try #require(payload?["connection"]?.intValue)
            return (payload?["online"] == true, connection, payload?["reason"]?.stringValue)
        }

        let first = try MiniClient(broker.port, Cast.device())
        let one = try next()
        let second = try MiniClient(broker.port, Cast.device())
        let (oneEnded, two) = (try next(), try next())
        #expect(one == (true, one.connection, nil))
        #expect(oneEnded == (false, one.connection, "takenOver"))
        #expect(two.online && two.connection > one.connection)
        #expect(try first.waitForEnd() != nil)

        _ = try worker.publish("$CONTROL/lamplighter/v1", #"{"commands":[{"command":"announcePresence"}]}"#)
        #expect(try next() == two)
        try second.disconnect()
        #expect(try next() == (false, two.connection, "closed"))

        let third = try MiniClient(broker.port, Cast.device())
        let three = try next()
        try third.send([0, 0])
        #expect(try next() == (false, three.connection, "lost"))

        let fourth = try MiniClient(broker.port, Cast.device())
        let four = try next()
        _ = try worker.publish(
            "$CONTROL/lamplighter/v1",
            #"{"commands":[{"command":"kickDevice","did":"\#(World.did)"},{"command":"other"}]}"#
        )
        #expect(try next() == (false, four.connection, "kicked"))
        #expect(try fourth.waitForEnd() != nil)
    }

    @Test("Wills can't be retained or have foreign topics, and aren't published after a kick")
    func wills() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.subscribe("ll/v1/device/#")
        func lose(_ topic: String, _ payload: String, retained: Bool = false) throws {
            var hello = Cast.device()
            hello.will = (topic, payload, retained)
            _ = try MiniClient(broker.port, hello).send([0, 0])
        }

        try lose("\(Cast.ownDevice)/command", "foreign")
        try lose("\(Cast.ownDevice)/presence", "retained", retained: true)
        try lose("\(Cast.ownDevice)/presence", "good")
        #expect(try worker.receive()?.payload == "good")

        var hello = Cast.device()
        hello.will = ("\(Cast.ownDevice)/presence", "kicked", false)
        let device = try MiniClient(broker.port, hello)
        _ = try worker.publish(
            "$CONTROL/lamplighter/v1",
            #"{"commands":[{"command":"kickDevice","did":"\#(World.did)"}]}"#
        )
        #expect(try device.waitForEnd() != nil)
        try lose("\(Cast.ownDevice)/presence", "last")
        #expect(try worker.receive()?.payload == "last")
    }

    @Test("A worker's will never controls the gate")
    func controlWill() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker("listening"))
        #expect(try worker.subscribe("$CONTROL/lamplighter/#") == 1)
        #expect(try worker.subscribe("ll/v1/system/refusal") == 1)

        var hello = Cast.worker("dying")
        hello.will = ("$CONTROL/lamplighter/v1", "{}", false)
        _ = try MiniClient(broker.port, hello).send([0, 0])

        let message = try worker.receive()
        #expect(message?.topic == "ll/v1/system/refusal")
        #expect(message?.payload.contains("reservedTopic") == true)
    }
}
