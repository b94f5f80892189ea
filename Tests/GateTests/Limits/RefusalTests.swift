import Credentials
import Glibc
import JSON
import TestKit
import Testing

@testable import Gate

@Suite("Reports of refusals", .endsInTime)
struct RefusalTests {
    @Test("Each refusal is reported with its reason, and never with a password")
    func told() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.subscribe("ll/v1/system/refusal")
        let device = try MiniClient(broker.port, Cast.device())

        _ = try MiniClient(broker.port, Cast.device(password: "hush"))
        let connect = try #require(try worker.receive())
        _ = try device.publish("ll/v1/device/other/report")
        let publish = try #require(try worker.receive())
        _ = try device.subscribe("$SYS/#")
        let subscribe = try #require(try worker.receive())
        _ = try MiniClient(broker.port, MiniClient.Hello("hush", "hush", World.did))
        let masked = try #require(try worker.receive())

        let name = #""username":"device:\#(World.did)","clientId":"\#(World.did)","address":"127.0.0.1""#
        #expect(connect.payload.hasPrefix("{\(name),\"action\":\"connect\",\"reason\":\"badSecret\","))
        #expect(publish.payload.contains(#""topic":"ll/v1/device/other/report","reason":"notAllowed""#))
        #expect(subscribe.payload.contains(#""action":"subscribe","topic":"$SYS/#""#))
        #expect(masked.payload.contains(#""username":"?""#))
        for message in [connect, publish, subscribe, masked] { #expect(!message.payload.contains("hush")) }
    }

    @Test("Refusals beyond a hundred a second are counted, and reported with the next one") func suppressed() {
        var refusals = Refusals(root: "ll/v1", perSecond: 2)
        let entry = Refusals.Entry(
            username: nil,
            clientId: String(repeating: "é", count: 400),
            address: "",
            action: .connect,
            reason: .noUsername
        )

        let told = (0..<5).map { _ in refusals.message(about: entry, at: 1_000) != nil }
        let next = refusals.message(about: entry, at: 2_000)

        #expect(told == [true, true, false, false, false])
        let payload = next.map { String(decoding: $0.encoded(), as: UTF8.self) }
        #expect(payload?.contains(#""suppressed":3"#) == true)
        #expect((payload?.utf8.count ?? 0) < 400)
    }

    @Test("Garbage, incomplete packets and odd names don't end the broker", arguments: 0..<2) func garbage(
        seed: Int
    ) throws {
        let broker = try GateBroker(Cast.records())
        var random = Seed(seed)
        let names = ["device:", "app:demo", "💡", "service:\u{FFFD}", "a:b:c", String(repeating: "x", count: 9_000)]

        for _ in 0..<300 {
            var packet = MiniClient.connect(
                MiniClient.Hello(names[random.below(6)], names[random.below(6)], names[random.below(6)])
            )
            for _ in 0..<random.below(4) { packet[random.below(packet.count)] = UInt8(random.below(256)) }
            let file = try MiniClient.open(broker.port, within: 5)
            _ = Glibc.send(
                file,
                packet,
                random.below(packet.count + 1),
                Int32(MSG_NOSIGNAL)
            )
            close(file)
            let worker = try MiniClient(broker.port, Cast.worker())
            let payload = (0..<random.below(60)).map { _ in
                Array(#"{}[]":,0e-x\ commands"#.unicodeScalars)[random.below(20)]
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: payload)
            _ = try worker.publish("$CONTROL/lamplighter/v1", text)
        }

        #expect(try MiniClient(broker.port, Cast.device()).code == 0)
    }
}
