import Domain
import Storage
import Testing

@testable import Workers

@Suite("Report ids of devices that send very many") struct InboxThinningTests {
    private static let did = DeviceID(trusted: String(repeating: "a", count: 32))

    @Test("Older ids are deleted in steps of limited size, and the newest are kept")
    func thin() throws {
        var limits = Limits()
        (limits.inboxPerDevice, limits.sweepStep) = (10, 5)
        let world = try World(limits: limits)
        let keys = (0..<100).map { InboxKey(did: Self.did, id: "r\($0)") }
        for key in keys {
            world.clock.advance(seconds: 1)
            try world.write { try $0.inbox.add([(key, 1)]) }
        }
        var thinning = InboxThinning(world.environment)
        #expect(try thinning.step())
        var left: [Int] = []
        for _ in 0..<4 {
            _ = try thinning.step()
            left.append(try count(keys, world))
        }

        // Each step deletes 50 rows at most, in ten transactions of five rows each.
        #expect(left == [50, 10, 10, 10])
        try world.environment.store.read { tx in
            var found: [Int] = []
            try tx.inbox.find(keys) { place, _ in found.append(place) }
            #expect(found == Array(90..<100))
        }
    }

    private func count(_ keys: [InboxKey], _ world: World) throws -> Int {
        var count = 0
        try world.environment.store.read { tx in
            try tx.inbox.find(keys) { _, _ in count += 1 }
        }
        return count
    }
}
