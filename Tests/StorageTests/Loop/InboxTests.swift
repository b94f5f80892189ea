import Domain
import JSON
import Testing

@testable import Storage

@Suite("Ids of processed messages")
struct InboxTests {
    private func key(_ id: String) -> InboxKey { InboxKey(did: Make.did, id: id) }

    @Test("A claimed key is found with its version, and can't be claimed again")
    func claim() throws {
        let world = try World()
        try world.store.arrange(at: Make.now) { try $0.inbox.add([(key("a"), 3), (key("b"), 4)]) }
        var found: [Int: Int64] = [:]
        try world.store.read { (tx) throws in try tx.inbox.find([key("x"), key("b"), key("a")]) { found[$0] = $1 } }
        #expect(found == [1: 4, 2: 3])
        #expect(throws: (any Error).self) {
            try world.store.arrange(at: Make.now) { try $0.inbox.add([(key("a"), 9)]) }
        }
    }

    @Test("Old keys are deleted in steps, and each device keeps its newest keys")
    func prune() throws {
        let world = try World()
        for number in 0..<10 {
            try world.store.arrange(at: Make.at(Int64(number))) { try $0.inbox.add([(key("k\(number)"), 1)]) }
        }
        try world.store.arrange(at: Make.at(10)) { (tx) throws in
            #expect(try tx.retention.delete(.inbox, before: Make.at(4), limit: 3) == 3)
            #expect(try tx.retention.delete(.inbox, before: Make.at(4), limit: 3) == 1)
            #expect(try tx.inbox.crowded(over: 5) == [Make.did])
            let before = try #require(try tx.inbox.beginning(of: Make.did, keeping: 2))
            #expect(try tx.inbox.prune(Make.did, before: before, limit: 3) == 3)
            #expect(try tx.inbox.prune(Make.did, before: before, limit: 3) == 1)
            #expect(try tx.inbox.beginning(of: Make.did, keeping: 3) == nil)
            var found: [Int] = []
            try tx.inbox.find((0..<10).map { key("k\($0)") }) { place, _ in found.append(place) }
            #expect(found == [8, 9])
        }
    }
}
