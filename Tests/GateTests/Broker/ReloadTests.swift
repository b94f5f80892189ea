import Glibc
import TestKit
import Testing

@testable import Gate

@Suite("A broker that reloads its configuration", .endsInTime)
struct ReloadTests {
    @Test("Connected clients stay with their rights, and are not announced again")
    func stay() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/#") == 1)
        let device = try MiniClient(broker.port, Cast.device())
        let app = try MiniClient(broker.port, Cast.app(4))
        #expect(device.code == 0 && app.code == 0)
        _ = try worker.receive(with: "ll/v1/system/presence/\(World.did)")

        try broker.reload()

        #expect(try device.publish("\(Cast.ownDevice)/report", "{\"n\":1}") == 0)
        #expect(try device.publish("ll/v1/device/\(World.otherDid)/report") == 0x87)
        _ = try app.publish("\(Cast.ownApp)/request/account/whoami", "{\"n\":2}")
        var seen: [String] = []
        while let message = try worker.receive() {
            seen.append(message.topic)
            if message.payload == "{\"n\":2}" { break }
        }
        #expect(seen.contains("\(Cast.ownDevice)/report"))
        #expect(!seen.contains { $0.contains("presence") || $0.contains("connection") }, "\(seen)")
    }

    @Test(
        "A session without a connection keeps its queued messages, and is not announced as connected"
    )
    func sessions() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.device()
        (hello.isClean, hello.sessionExpiry) = (false, 3_600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("\(Cast.ownDevice)/command") == 1)
        try first.disconnect()
        #expect(try worker.subscribe("ll/v1/system/#") == 1)
        #expect(try worker.publish("\(Cast.ownDevice)/command", "{\"cid\":1}") == 0)

        try broker.reload()

        #expect(try worker.publish("ll/v1/system/test", "{\"end\":1}") == 0)
        var seen: [String] = []
        while let message = try worker.receive(), message.topic != "ll/v1/system/test" {
            seen.append("\(message.topic) \(message.payload)")
        }
        #expect(!seen.contains { $0.contains("\"online\":true") }, "\(seen)")
        let again = try MiniClient(broker.port, hello)
        #expect(try again.receive(with: "\(Cast.ownDevice)/command")?.payload == "{\"cid\":1}")
    }

    @Test("A client that connects during a reload must present its secret")
    func newcomers() throws {
        let broker = try GateBroker(Cast.records())
        var hello = Cast.device()
        (hello.isClean, hello.sessionExpiry) = (false, 3_600)
        let first = try MiniClient(broker.port, hello)
        #expect(first.code == 0)
        try first.disconnect()
        hello.password = "wrong"

        for _ in 0..<50 {
            try broker.reload()
            #expect(try MiniClient(broker.port, hello).code == 0x87)
        }

        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }
}
