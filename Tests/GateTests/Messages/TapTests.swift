import TestKit
import Testing

@testable import Gate

@Suite("A console that watches messages, in Mosquitto", .endsInTime)
struct TapTests {
    private static let hello = MiniClient.Hello("service:console", "console", "svc.console.1")

    @Test("The console receives messages, and can't publish any")
    func sees() throws {
        let broker = try GateBroker(Cast.records())
        let console = try MiniClient(broker.port, Self.hello)
        #expect(try console.subscribe("ll/v1/#") == 1)
        let device = try MiniClient(broker.port, Cast.device())

        #expect(try device.publish("\(Cast.ownDevice)/report", "mine") == 0)

        #expect(try console.receive(with: "mine")?.topic == "\(Cast.ownDevice)/report")
        #expect(try console.publish("\(Cast.ownDevice)/command", "switch on") == 0x87)
    }

    @Test("The console receives a limited number of messages a second, and the number of those left out")
    func bound() throws {
        let broker = try GateBroker(Cast.records())
        let console = try MiniClient(broker.port, Self.hello)
        #expect(try console.subscribe("ll/v1/#") == 1)
        let worker = try MiniClient(broker.port, Cast.worker())

        for number in 0..<1_000 {
            try worker.publishOnly("ll/v1/user/u/session", "\(number)")
        }
        let last = try worker.publish("ll/v1/user/u/session", "last")

        #expect(last < 0x80)
        var (seen, left) = (0, 0)
        while let message = try console.receive(within: 1) {
            if message.topic == "ll/v1/system/tap/svc.console.1" {
                let digits = message.payload.filter(\.isNumber)
                left += Int(digits) ?? 0
            } else if message.topic == "ll/v1/user/u/session" {
                seen += 1
            }
        }
        #expect(seen + left == 1_001)
        #expect(left > 0 && seen >= 40)
    }
}
