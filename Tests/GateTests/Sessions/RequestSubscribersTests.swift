import TestKit
import Testing

@testable import Gate

@Suite("Requests for absent workers", .endsInTime)
struct RequestSubscribersTests {
    private static let requests = "\(Cast.ownApp)/request"

    /// A broker, a terminal that sends requests, and the fallback worker, which answers for absent workers.
    private struct Cell {
        let broker: GateBroker
        let fallback: MiniClient
        let app: MiniClient

        init() throws {
            broker = try GateBroker(Cast.records())
            fallback = try MiniClient(broker.port, Cast.worker("session"))
            #expect(try fallback.subscribe("ll/v1/app/+/+/request/#") == 1)
            #expect(try fallback.subscribe("ll/v1/marks") == 1)
            app = try MiniClient(broker.port, Cast.app())
        }

        /// Returns whether a request to a service reaches the fallback worker.
        ///
        /// The test publishes a mark after the request. If only the mark arrives, the broker hasn't delivered the
        /// request.
        func isHeard(_ service: String) throws -> Bool {
            _ = try app.publish("\(requests)/\(service)/list")
            let other = try MiniClient(broker.port, Cast.worker("marker"))
            _ = try other.publish("ll/v1/marks")
            let first = try fallback.receive()
            guard first?.topic == "\(requests)/\(service)/list" else {
                #expect(first?.topic == "ll/v1/marks")
                return false
            }
            #expect(try fallback.receive()?.topic == "ll/v1/marks")
            return true
        }

        func control() throws -> MiniClient {
            let control = try MiniClient(broker.port, Cast.worker("control"))
            #expect(try control.subscribe("ll/v1/app/+/+/request/device/#") == 1)
            return control
        }
    }

    private static let online = #"{"online":true,"ts":1}"#
    private static let offline = #"{"online":false,"ts":2}"#

    @Test("The fallback worker receives a request only while no present worker has subscribed to it")

    func presence() throws {
        let cell = try Cell()
        #expect(try cell.isHeard("device"))

        let control = try cell.control()
        #expect(try cell.isHeard("device"), "It has not said yet that it is there.")
        _ = try control.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try !cell.isHeard("device"))
        #expect(try cell.isHeard("schedule"))
        #expect(try cell.isHeard("devices"))
        for part in [
            "app/demo/+/request/home/#", "app/+/+/request/home/list", "app/+/+/request/+/#",
        ] {
            #expect(try control.subscribe("ll/v1/\(part)") == 1)
        }
        #expect(try cell.isHeard("home"), "One terminal's requests are not all terminals'.")

        _ = try control.publish("ll/v1/system/worker/control", Self.offline, retained: true)
        #expect(try cell.isHeard("device"))
        _ = try control.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try !cell.isHeard("device"))
        try control.unsubscribe("ll/v1/app/+/+/request/device/#")
        #expect(try cell.isHeard("device"))
    }

    @Test("A worker whose connection is lost or taken over is absent")
    func loss() throws {
        let cell = try Cell()
        let first = try cell.control()
        _ = try first.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try !cell.isHeard("device"))
        let second = try MiniClient(cell.broker.port, Cast.worker("control"))
        #expect(try cell.isHeard("device"))
        _ = try second.subscribe("ll/v1/app/+/+/request/device/#")
        _ = try second.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try !cell.isHeard("device"))
        try second.send([0, 0])
        #expect(try second.waitForEnd() != nil)
        #expect(try cell.isHeard("device"))
    }

    @Test("The fallback worker receives the requests queued while it was absent, and continues to receive")

    func queue() throws {
        let broker = try GateBroker(Cast.records())
        var hello = Cast.worker("session")
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("ll/v1/app/+/+/request/#") == 1)
        try first.disconnect()
        let app = try MiniClient(broker.port, Cast.app())
        // The broker keeps these requests until the fallback worker connects again.
        for _ in 0..<30 { _ = try app.publish("\(Self.requests)/device/list") }
        let control = try MiniClient(broker.port, Cast.worker("control"))
        #expect(try control.subscribe("ll/v1/app/+/+/request/device/#") == 1)
        _ = try control.publish("ll/v1/system/worker/control", Self.online, retained: true)

        let second = try MiniClient(broker.port, hello)
        for _ in 0..<30 {
            #expect(try second.receive()?.topic == "\(Self.requests)/device/list")
        }
        #expect(try second.subscribe("ll/v1/app/+/+/request/#") == 1)
        _ = try app.publish("\(Self.requests)/device/list")
        _ = try app.publish("\(Self.requests)/other/list")
        #expect(try second.receive()?.topic == "\(Self.requests)/other/list")
    }

    @Test("Other programs that subscribe aren't counted as workers, and receive all requests")
    func onlookers() throws {
        let cell = try Cell()
        let control = try cell.control()
        let onlooker = try MiniClient(cell.broker.port, Cast.worker("onlooker"))
        _ = try onlooker.subscribe("ll/v1/app/+/+/request/#")
        _ = try onlooker.subscribe("ll/v1/app/+/+/request/schedule/#")
        _ = try onlooker.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try cell.isHeard("device"))
        _ = try control.publish("ll/v1/system/worker/control", Self.online, retained: true)
        #expect(try !cell.isHeard("device"))
        #expect(try cell.isHeard("schedule"))
        for service in ["device", "device", "schedule"] {
            #expect(try onlooker.receive()?.topic == "\(Self.requests)/\(service)/list")
        }
    }

    @Test(
        "A message that isn't a worker's state changes nothing",
        arguments: ["", "{}", "[]", #"{"online":1}"#]
    )
    func nonsense(payload: String) throws {
        let cell = try Cell()
        let control = try cell.control()
        _ = try control.publish("ll/v1/system/worker/control", payload, retained: true)
        _ = try control.publish("ll/v1/system/worker/status", Self.online, retained: true)
        #expect(try cell.isHeard("device"))
    }
}
