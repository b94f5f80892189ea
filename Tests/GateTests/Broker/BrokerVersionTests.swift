import TestKit
import Testing

@testable import Gate

@Suite("The version of the broker")
struct BrokerVersionTests {
    @Test("A program names its version as a text of its own, and no other")
    func names() throws {
        let directory = try TemporaryDirectory()
        let padding = String(repeating: "x", count: (1 << 16) - 3)
        try directory.write("\(padding)\0\u{0}2.0.11\0more", to: "broker")
        let path = directory.path("broker")

        #expect(BrokerVersion.isNamed("2.0.11", in: path))
        #expect(!BrokerVersion.isNamed("2.0.1", in: path))
        #expect(!BrokerVersion.isNamed("2.0.20", in: path))
        #expect(!BrokerVersion.isNamed("0.11", in: path))
    }

    @Test("A program that is not there, or not this broker, is of no tested version")
    func others() {
        #expect(!BrokerVersion.isNamed("2.0.11", in: "/nonexistent"))
        #expect(!BrokerVersion.isNamed("2.0.11", in: "/bin/sh"))
    }
}
