import Foundation
import TestKit
import Testing

@testable import Mosquitto

/// Tests of a rule that the whole service relies on: no acknowledgement is sent before `flush()`.
@Suite(.tags(.broker), .endsInTime)
struct DeferredAcknowledgementTests {
    @Test("A process killed between receive and flush gets each message again")
    func killedWhileHeld() throws {
        let again = try messagesAfterKill(of: "held", count: 300)

        #expect(again == (0..<300).map { Received(topic: "probe/\($0)", payload: "\($0)") })
    }

    @Test("A process killed after the flush gets no message again")
    func killedAfterFlush() throws {
        let again = try messagesAfterKill(of: "flushed", count: 300)

        #expect(again.isEmpty)
    }

    @Test("With the library's default, the same kill loses messages, so this test would notice")
    func killedInDefaultMode() throws {
        let again = try messagesAfterKill(of: "plain", count: 300)

        #expect(again.count < 10)
    }

    @Test("A client dropped before the flush gets each message again")
    func droppedWhileHeld() throws {
        let broker = try BrokerProcess()
        do {
            var client = try connect(broker.port, "keeper")
            try client.subscribe(["a/#"])
            try publish(50, to: "a", port: broker.port)
            var intake = Intake()
            var count = 0
            while count < 50 {
                try client.receive(
                    upTo: 50,
                    linger: .seconds(1),
                    wait: .seconds(1),
                    into: &intake
                )
                count += intake.deliveries.count
            }
            client.disconnect()
        }

        var client = try connect(broker.port, "keeper")

        let again = try client.collect(50)
        #expect(again.count == 50)
    }

    @Test("Subscribing while acknowledgements are held back is refused, because it would send them")
    func subscribeWhileHeld() throws {
        let broker = try BrokerProcess()
        var client = try connect(broker.port)
        try client.subscribe(["a/#"])
        try publish(1, to: "a", port: broker.port)
        var intake = Intake()
        while intake.deliveries.isEmpty {
            try client.receive(upTo: 50, linger: .seconds(1), wait: .seconds(1), into: &intake)
        }

        #expect(throws: MosquittoError(.acknowledgementsHeld, function: "subscribe")) { try client.subscribe(["b/#"]) }
        try client.flush()
        try client.subscribe(["b/#"])
    }

    @Test(
        "Messages that arrive before a session's SUBACK are in the next batch, unacknowledged"
    )
    func resumedSession() throws {
        let broker = try BrokerProcess()
        do {
            var client = try connect(broker.port, "keeper")
            try client.subscribe(["a/#"])
            client.disconnect()
        }
        try publish(100, to: "a", port: broker.port)
        for _ in 0..<3 {
            var client = try connect(broker.port, "keeper")
            try client.subscribe(["a/#"])
            var intake = Intake()
            try client.receive(upTo: 500, linger: .seconds(1), wait: .seconds(1), into: &intake)
            #expect(!intake.deliveries.isEmpty)
        }

        var client = try connect(broker.port, "keeper")
        try client.subscribe(["a/#"])

        let again = try client.collect(100)
        #expect(again.count == 100)
    }

    @Test(
        "A session with a backlog can be subscribed again twice, without any acknowledgement"
    )
    func resumedBacklog() throws {
        let broker = try BrokerProcess()
        do {
            var client = try connect(broker.port, "keeper")
            try client.subscribe(["a/#"])
            client.disconnect()
        }
        try publish(2000, to: "a", port: broker.port)

        var client = try connect(broker.port, "keeper")
        // The loop waits until the broker begins to send the queued messages.
        while !client.receiver.wait(for: POLLIN, milliseconds: 10) {}
        try client.subscribe(["a/#"])
        try client.subscribe(["b/#"], options: SubscribeOptions(retainHandling: .always))
        try client.unsubscribe(["b/#"])

        let again = try client.collect(2000)
        #expect(again.count == 2000)
    }

    /// Kills a probe after `count` messages, and returns the messages that the next client with the same id receives.
    private func messagesAfterKill(of mode: String, count: Int) throws -> [Received] {
        let broker = try BrokerProcess()
        let probe = try ChildProcess(
            builtExecutable("MosquittoProbe"),
            ["\(broker.port)", "service", "\(count)", mode]
        )
        try #require(probe.nextLine() == "subscribed")
        try publish(count, to: "probe", port: broker.port)
        try #require(probe.nextLine() == "received \(count)")
        probe.stop(SIGKILL)

        var heir = try connect(broker.port, "service")
        return try heir.collect(count, within: mode == "held" ? .seconds(10) : .milliseconds(500))
    }

    private func publish(_ count: Int, to topic: String, port: Int) throws {
        var sender = try connect(port)
        for number in 0..<count { try sender.publish(topic: "\(topic)/\(number)", payload: Array("\(number)".utf8)) }
        let receipts = try sender.confirmations()
        #expect(receipts.count == count)
        sender.disconnect()
    }
}
