import Foundation
import Testing

@testable import Mosquitto

extension Tag {
    @Tag static var broker: Self
}

/// A received message's topic and payload, for tests to store and compare.
struct Received: Equatable {
    var topic: String
    var payload: String
}

/// Connects a client to a broker on this machine.
func connect(
    _ port: Int,
    _ clientID: String = "c-\(UInt32.random(in: 0...UInt32.max))",
    waker: Waker? = nil,
    _ change: (inout ConnectionOptions) -> Void = { _ in }
) throws -> MosquittoClient {
    var options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: clientID)
    change(&options)
    var client = try MosquittoClient(options, waker: waker ?? Waker())
    _ = try client.connect()
    return client
}

extension MosquittoClient {
    /// Receives, acknowledges and returns up to `count` messages within the time limit.
    mutating func collect(_ count: Int, within limit: Duration = .seconds(10)) throws -> [Received] {
        var result: [Received] = []
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: limit)
        while result.count < count, ContinuousClock.now < deadline {
            try receive(upTo: 200, linger: .milliseconds(5), wait: .milliseconds(50), into: &intake)
            for delivery in intake.deliveries {
                result.append(Received(topic: intake.text(delivery.topic), payload: intake.text(delivery.payload)))
            }
            try flush()
        }
        return result
    }

    /// Waits up to ten seconds until the broker has confirmed all messages, and returns the receipts.
    mutating func confirmations() throws -> [PublishReceipt] {
        var result: [PublishReceipt] = []
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        try flush()
        while unconfirmed > 0, ContinuousClock.now < deadline {
            try receive(upTo: 200, linger: .milliseconds(5), wait: .milliseconds(50), into: &intake)
            result += intake.confirmed
            try flush()
        }
        return result
    }

    /// Receives until an error occurs, and returns the error, or nil if no error occurs within the time limit.
    mutating func failure(within limit: Duration = .seconds(10)) -> MosquittoError? {
        var intake = Intake()
        let deadline = ContinuousClock.now.advanced(by: limit)
        do throws(MosquittoError) {
            while ContinuousClock.now < deadline {
                try receive(upTo: 200, linger: .milliseconds(5), wait: .seconds(1), into: &intake)
                try flush()
            }
        } catch { return error }
        return nil
    }
}

/// Returns the path of an executable of the package, in the test program's folder.
func builtExecutable(_ name: String) throws -> String {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: name).path
}
