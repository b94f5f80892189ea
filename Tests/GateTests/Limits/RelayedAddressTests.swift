import Glibc
import Metering
import Testing

@testable import Gate

@Suite struct RelayedAddressTests {
    /// Creates a relay's file with one address at a given position, and returns its path.
    private func file(_ bytes: [UInt8], at place: Int) throws -> String {
        let path = "\(P_tmpdir)/lamplighter-relay-\(UInt64.random(in: 0 ... .max))"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let written = pwrite(file, bytes, bytes.count, off_t(place * RelayPlace.byteCount))
        try #require(written == bytes.count)
        return path
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    @Test(
        "The client's address replaces the relay's address if the file contains it",
        arguments: [
            (mapped + [192, 0, 2, 7], "192.0.2.7"),
            ([0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7], "2001:db8::7"),
            ([UInt8](repeating: 0, count: 16), "127.64.1.2"), ([1, 2, 3], "127.64.1.2"),
        ]
    )
    func read(_ bytes: [UInt8], _ address: String) throws {
        let path = try file(bytes, at: 258)
        defer { unlink(path) }

        #expect(RelayedAddress(path: path).client(of: "127.64.1.2") == address)
        #expect(RelayedAddress(path: path).client(of: "192.0.2.9") == "192.0.2.9")
    }

    @Test("Without the file, addresses are unchanged", arguments: ["", "/nowhere/addresses"]) func missing(
        _ path: String
    ) { #expect(RelayedAddress(path: path).client(of: "127.64.1.2") == "127.64.1.2") }
}
