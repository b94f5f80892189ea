import Foundation
import Mosquitto
import TestKit
import Testing

@Suite(.tags(.broker), .endsInTime)
struct MessageTests {
    @Test("The broker's answer to a publish has its packet id and the result")
    func receipts() throws {
        let directory = try TemporaryDirectory()
        try directory.write("topic readwrite heard/#\ntopic write unheard/#\n", to: "acl")
        let broker = try BrokerProcess(settings: BrokerProcess.open + "\nacl_file \(directory.path("acl"))")
        var client = try connect(broker.port)
        try client.subscribe(["heard/#"])

        let heard = try client.publish(topic: "heard/a", payload: [1])
        let unheard = try client.publish(topic: "unheard/a", payload: [1])
        let denied = try client.publish(topic: "denied/a", payload: [1])
        try client.publish(topic: "heard/a", payload: [1], quality: .atMostOnce)
        #expect(client.unconfirmed == 3)
        let receipts = try client.confirmations()

        #expect(
            receipts == [
                PublishReceipt(mid: heard, reasonCode: 0), PublishReceipt(mid: unheard, reasonCode: 0x10),
                PublishReceipt(mid: denied, reasonCode: 0x87),
            ]
        )
        #expect(receipts.map(\.isRefused) == [false, false, true])
        #expect(client.unconfirmed == 0)
    }

    @Test("Payload, flags and properties arrive unchanged")
    func properties() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)
        try client.subscribe(["a/#"])
        let payload = (0...255).map { UInt8($0) }

        try client.publish(
            topic: "a/bytes",
            payload: payload,
            properties: PublishProperties(
                responseTopic: "answer/to/me",
                correlationData: [0, 255, 7],
                messageExpirySeconds: 60,
                traceparent: "00-4bf9-00f0-01"
            )
        )
        try client.publish(topic: "a/empty", payload: [], quality: .atMostOnce)
        try client.flush()
        var intake = Intake()
        var seen: [Delivery] = []
        while seen.count < 2 {
            try client.receive(upTo: 1, linger: .seconds(1), wait: .seconds(5), into: &intake)
            for delivery in intake.deliveries {
                seen.append(delivery)
                guard seen.count == 1 else { continue }
                #expect(Array(intake.bytes[delivery.payload]) == payload)
                #expect(try intake.text(#require(delivery.responseTopic)) == "answer/to/me")
                let data = try #require(delivery.correlationData)
                #expect(Array(intake.bytes[data]) == [0, 255, 7])
                #expect(try intake.text(#require(delivery.traceparent)) == "00-4bf9-00f0-01")
            }
            try client.flush()
        }

        #expect(seen.map(\.quality) == [.atLeastOnce, .atMostOnce])
        #expect(seen.map(\.isRetained) == [false, false])
        #expect(seen[1].payload.isEmpty)
        #expect(seen[1].responseTopic == nil && seen[1].correlationData == nil)
        #expect(seen[1].traceparent == nil)
    }

    @Test("A topic with NUL, a wildcard or an invalid character is refused, and the connection stays")

    func badTopics() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)

        for topic in ["a\0b", "a/#", "\u{FFFF}(", ""] {
            #expect(throws: MosquittoError.self) { try client.publish(topic: topic, payload: [1]) }
        }

        try client.publish(topic: "fine", payload: [1])
        let receipts = try client.confirmations()
        #expect(receipts.count == 1)
    }

    @Test("Retained messages are delivered with a new subscription, and not with a repeated one")

    func retained() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)
        try client.publish(topic: "kept/a", payload: Array("old".utf8), isRetained: true)
        _ = try client.confirmations()

        try client.subscribe(["kept/#"])
        let first = try client.collect(1)
        try client.subscribe(["kept/#"])
        let second = try client.collect(1, within: .milliseconds(200))
        try client.subscribe(["kept/#"], options: SubscribeOptions(retainHandling: .always))
        let third = try client.collect(1)

        #expect(first == [Received(topic: "kept/a", payload: "old")])
        #expect(second.isEmpty)
        #expect(third == first)
    }

    @Test("With noLocal a client doesn't receive its own messages, and an ended subscription delivers nothing")
    func noLocal() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)
        try client.subscribe(["a/#"], options: SubscribeOptions(noLocal: true))
        try client.subscribe(["b/#"])
        try client.unsubscribe(["b/#"])
        try client.publish(topic: "a/a", payload: [1])
        try client.publish(topic: "b/a", payload: [1])

        let heard = try client.collect(1, within: .milliseconds(200))

        #expect(heard.isEmpty)
    }

    @Test("A refused filter causes an error with its code")
    func refusedFilter() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true,
            "subscribe": false, "unsubscribe": true}}
            """,
            to: "access.json"
        )
        let broker = try BrokerProcess(
            settings: BrokerProcess.open + """

                plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so
                plugin_opt_config_file \(directory.path("access.json"))
                """
        )
        var client = try connect(broker.port)

        let error = #expect(throws: MosquittoError.self) {
            try client.subscribe(["one", "two"])
        }

        #expect(error?.code == .subscriptionRefused)
        #expect(error?.reasonCode == 0x87)
    }

    @Test("A backlog of ten thousand messages arrives completely and in order, in batches within the window")
    func backlog() throws {
        let broker = try BrokerProcess()
        do {
            var client = try connect(broker.port, "keeper")
            try client.subscribe(["a/#"])
            client.disconnect()
        }
        var sender = try connect(broker.port)
        for number in 0..<10_000 { try sender.publish(topic: "a/\(number % 7)", payload: Array("\(number)".utf8)) }
        let receipts = try sender.confirmations()
        #expect(receipts.count == 10_000)

        var client = try connect(broker.port, "keeper") { $0.receiveMaximum = 500 }
        var numbers: [Int] = []
        var batchMax = 0
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: .seconds(20))
        while numbers.count < 10_000, ContinuousClock.now < deadline {
            try client.receive(upTo: 300, linger: .seconds(1), wait: .seconds(1), into: &intake)
            numbers += intake.deliveries.compactMap { Int(intake.text($0.payload)) }
            batchMax = max(batchMax, intake.deliveries.count)
            try client.flush()
        }

        #expect(numbers == Array(0..<10_000))
        #expect(batchMax <= 300)
    }

    @Test("Two clients that flood each other with large messages both receive everything")
    func flood() throws {
        let broker = try BrokerProcess()
        let other = DispatchGroup()
        other.enter()
        let port = broker.port
        Thread.detachNewThread {
            #expect(throws: Never.self) { try exchange(port, from: "x", to: "y", count: 1500) }
            other.leave()
        }
        try exchange(port, from: "y", to: "x", count: 1500)
        other.wait()
    }
}

/// Publishes many messages at a time to another client, while receiving that client's messages.
private func exchange(_ port: Int, from: String, to: String, count: Int) throws {
    let payload = [UInt8](repeating: 120, count: 16_384)
    var client = try connect(port, from)
    try client.subscribe(["to/\(from)"])
    // Each client waits for the other client's retained message. So both have connected before either of them begins.
    try client.publish(topic: "ready/\(from)", payload: [1], isRetained: true)
    try client.subscribe(["ready/\(to)"], options: SubscribeOptions(retainHandling: .always))
    var sent = 0
    var received = -1
    var intake = Intake()
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while received < count || client.unconfirmed > 0, ContinuousClock.now < deadline {
        try client.receive(upTo: 500, linger: .milliseconds(20), wait: .milliseconds(50), into: &intake)
        received += intake.deliveries.count
        if received >= 0 {
            for _ in 0..<min(500, count - sent) {
                try client.publish(topic: "to/\(to)", payload: payload)
                sent += 1
            }
        }
        try client.flush()
    }
    #expect(received == count)
    #expect(client.unconfirmed == 0)
}
