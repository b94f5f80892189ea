import TestKit
import Testing

@testable import Gate

@Suite("The version of the broker")
struct BrokerVersionTests {
    @Test("A program's version is read from a string of its own, and from no other string")
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

    @Test("A missing program, or a program other than the broker, has no tested version")
    func others() {
        #expect(!BrokerVersion.isNamed("2.0.11", in: "/nonexistent"))
        #expect(!BrokerVersion.isNamed("2.0.11", in: "/bin/sh"))
    }
}
