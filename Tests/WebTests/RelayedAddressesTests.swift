import Foundation
import Metering
import Testing

@testable import Web

@Suite struct RelayedAddressesTests {
    private let path = NSTemporaryDirectory() + "lamplighter-relayed-\(UUID().uuidString)"

    /// Returns the bytes that the relay's file contains at the given position.
    private func bytes(of place: Int) throws -> [UInt8] {
        let all = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = place * RelayPlace.byteCount
        return Array(all[start..<start + RelayPlace.byteCount])
    }

    private static let zeros = [UInt8](repeating: 0, count: RelayPlace.byteCount)

    @Test("A client's address stands at its place, until some time after the connection's end") func cleared() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let addresses = try RelayedAddresses(path: path, rest: .zero)
        let first = try #require(addresses.lend(to: "192.0.2.7"))
        let second = try #require(addresses.lend(to: "2001:db8::7"))
        #expect(try bytes(of: first) == RelayedAddresses.bytes(of: "192.0.2.7"))

        addresses.giveBack(first)

        #expect(try bytes(of: first) == Self.zeros)
        #expect(try bytes(of: second) == RelayedAddresses.bytes(of: "2001:db8::7"))
    }

    @Test("The gate finds the address of a client whose connection has just ended")
    func kept() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let addresses = try RelayedAddresses(path: path)
        let place = try #require(addresses.lend(to: "192.0.2.7"))

        addresses.giveBack(place)
        let next = try #require(addresses.lend(to: "192.0.2.8"))

        #expect(next != place)
        #expect(try bytes(of: place) == RelayedAddresses.bytes(of: "192.0.2.7"))
    }

    @Test("A place that is used again has only the new client's address")
    func lentAgain() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let addresses = try RelayedAddresses(path: path, rest: .zero)
        var places: [Int] = []
        while let place = addresses.lend(to: "192.0.2.7") { places.append(place) }
        #expect(places.count == RelayPlace.count - 2)

        for place in places.prefix(20) { addresses.giveBack(place) }
        let again = (0..<20).compactMap { addresses.lend(to: "198.51.100.\($0)") }

        #expect(again == Array(places.prefix(20)))
        for (number, place) in again.enumerated() {
            #expect(try bytes(of: place) == RelayedAddresses.bytes(of: "198.51.100.\(number)"))
        }
    }

    @Test("Addresses left by an earlier process are removed")
    func leftBehind() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let place = try #require(RelayedAddresses(path: path).lend(to: "192.0.2.7"))

        let addresses = try RelayedAddresses(path: path)

        #expect(try bytes(of: place) == Self.zeros)
        withExtendedLifetime(addresses) {}
    }
}
