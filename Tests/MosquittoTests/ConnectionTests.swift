import Foundation
import Mosquitto
import TestKit
import Testing

@Suite(.tags(.broker), .endsInTime)
struct ConnectionTests {
    @Test("A second connection with the same client id resumes its session, but not with a clean start")
    func sessionPresent() throws {
        let broker = try BrokerProcess()
        var found: [Bool] = []

        for isClean in [false, false, true, false] {
            var options = ConnectionOptions(host: "127.0.0.1", port: broker.port, clientID: "one")
            options.cleanStart = isClean
            var client = try MosquittoClient(options, waker: Waker())
            found.append(try client.connect())
            client.disconnect()
        }

        #expect(found == [false, true, false, true])
    }

    @Test("A session that expires with its connection is gone")
    func sessionExpiry() throws {
        let broker = try BrokerProcess()
        var options = ConnectionOptions(host: "127.0.0.1", port: broker.port, clientID: "one")
        options.sessionExpirySeconds = 0
        for _ in 0..<2 {
            var client = try MosquittoClient(options, waker: Waker())
            let isSessionPresent = try client.connect()
            #expect(!isSessionPresent)
            client.disconnect()
        }
    }

    @Test("A taken-over client loses its connection, and the new one gets its messages") func takeover() throws {
        let broker = try BrokerProcess()
        var first = try connect(broker.port, "one")
        try first.subscribe(["a/#"])
        try first.publish(topic: "a/b", payload: Array("held".utf8))
        try first.flush()
        var intake = Intake()
        while intake.deliveries.isEmpty { try first.receive(upTo: 1, linger: .zero, wait: .seconds(5), into: &intake) }
        var second = try connect(broker.port, "one")

        let failure = first.failure()
        let inherited = try second.collect(1)

        // Mosquitto 2.0.11 closes the connection without sending a DISCONNECT packet that states the reason.
        #expect(failure?.code == .connectionLost)
        #expect(inherited == [Received(topic: "a/b", payload: "held")])
    }

    @Test("A refused password yields the broker's code without the password")
    func refused() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "passwords")
        let broker = try BrokerProcess(
            settings: """
                allow_anonymous false
                password_file \(directory.path("passwords"))
                """
        )

        let error = #expect(throws: MosquittoError.self) {
            _ = try connect(broker.port) {
                $0.username = "service:x"
                $0.password = "swordfish"
            }
        }

        let refusal = try #require(error)
        #expect(refusal.reasonCode == 0x87)
        #expect(!"\(refusal) \(String(reflecting: refusal))".contains("swordfish"))
    }

    @Test("A port without a listener causes a system error")
    func nobodyThere() throws {
        let port = try BrokerProcess.freePort()

        let error = #expect(throws: MosquittoError.self) { _ = try connect(port) }

        #expect(error?.code == .system)
    }

    @Test("The death of a broker is noticed at once, even with messages in flight")
    func brokerKilled() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)
        try client.subscribe(["a/#"])
        for number in 0..<500 {
            try client.publish(topic: "a/\(number)", payload: [1])
        }
        broker.stop(SIGKILL)

        var failure: MosquittoError?
        do throws(MosquittoError) { try client.flush() } catch { failure = error }
        if failure == nil { failure = client.failure() }

        let error = try #require(failure)
        let ends: [MosquittoError.Code] = [.noConnection, .connectionLost, .system, .protocolError]
        #expect(ends.contains(error.code))
        #expect(client.unconfirmed == 500)
    }

    @Test("The keep-alive detects a broker that is silent")
    func brokerSilent() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port) { $0.keepAliveSeconds = 5 }
        broker.pause(true)
        defer { broker.pause(false) }

        let failure = client.failure(within: .seconds(20))

        let error = try #require(failure)
        #expect(error.code == .keepAlive)
    }

    @Test("An idle connection is kept alive beyond its keep-alive time")
    func idle() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port) { $0.keepAliveSeconds = 5 }

        let failure = client.failure(within: .seconds(9))

        #expect(failure == nil)
    }

    @Test("A client that vanishes causes its will to be published, and a client that disconnects doesn't")
    func will() throws {
        let broker = try BrokerProcess()
        var witness = try connect(broker.port)
        try witness.subscribe(["will/#"])
        for goodbye in [true, false] {
            var client = try connect(broker.port) {
                $0.will = .init(topic: "will/\(goodbye)", payload: Array("gone".utf8))
                $0.sessionExpirySeconds = 0
            }
            if goodbye { client.disconnect() }
        }

        let wills = try witness.collect(1)

        #expect(wills == [Received(topic: "will/false", payload: "gone")])
    }

    @Test("A waker ends the current or next wait, and only once")
    func waker() throws {
        let broker = try BrokerProcess()
        let waker = try Waker()
        var client = try connect(broker.port, waker: waker)
        var intake = Intake()
        let clock = ContinuousClock()

        Thread.detachNewThread {
            usleep(50_000)
            waker.wake()
        }
        let first = try clock.measure { try client.receive(upTo: 1, linger: .zero, wait: .seconds(20), into: &intake) }
        waker.wake()
        waker.wake()
        let second = try clock.measure { try client.receive(upTo: 1, linger: .zero, wait: .seconds(20), into: &intake) }
        let third = try clock.measure {
            try client.receive(upTo: 1, linger: .zero, wait: .milliseconds(200), into: &intake)
        }

        #expect(first < .seconds(10))
        #expect(second < .seconds(10))
        #expect(third >= .milliseconds(190))
    }
}
