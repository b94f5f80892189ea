import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Credentials that a worker publishes, in Mosquitto", .endsInTime)
struct LearnTests {
    private static let control = "$CONTROL/lamplighter/v1"

    private static func learn(_ records: [Record]) throws -> [UInt8] {
        let texts = try records.map { "\"\(try $0.hex())\"" }.joined(separator: ",")
        return Array(#"{"commands":[{"command":"learn","records":[\#(texts)]}]}"#.utf8)
    }

    @Test(
        "A device that the file lacks is admitted once a worker announces it, and cut off once a worker announces its end"
    )
    func device() throws {
        let records = try Cast.records()
        let known = try #require(records.first { $0.kind == .device && $0.key == World.did })
        let broker = try GateBroker(records.filter { $0 != known })
        let worker = try MiniClient(broker.port, Cast.worker("account"))
        #expect(try MiniClient(broker.port, Cast.device()).code != 0)

        #expect(try worker.publish(Self.control, Self.learn([known])) < 0x80)
        let device = try MiniClient(broker.port, Cast.device())
        #expect(try device.publish("\(Cast.ownDevice)/report", "own") < 0x80)

        let gone = Record.removed(.device, key: World.did)
        #expect(try worker.publish(Self.control, Self.learn([gone])) < 0x80)
        #expect(try MiniClient(broker.port, Cast.device()).code != 0)
    }

    @Test("Only workers can announce credentials")
    func others() throws {
        let records = try Cast.records()
        let known = try #require(records.first { $0.kind == .device && $0.key == World.did })
        let broker = try GateBroker(records.filter { $0 != known })
        let app = try MiniClient(broker.port, Cast.app())

        #expect(try app.publish(Self.control, Self.learn([known])) >= 0x80)
        #expect(try MiniClient(broker.port, Cast.device()).code != 0)
    }
}
