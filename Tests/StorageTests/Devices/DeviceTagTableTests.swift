import Domain
import StoreTestKit
import TestKit
import Testing

@testable import Storage

@Suite("Names and tags of devices")
struct DeviceTagTableTests {
    private let world: World

    /// Creates ten devices: those with even numbers have the tag `floor=2`, those with odd numbers `floor=3`.
    init() throws {
        world = try World()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.products.save(Make.product, secret: "product-secret")
            for number in 0..<10 {
                let mac = MAC(trusted: String(112_233_445_500 + number))
                try tx.devices.create(Self.did(number), product: Make.key, mac: mac)
                var change = DeviceLabeling()
                let floor = DeviceTag(trusted: "floor", number % 2 == 0 ? "2" : "3")
                change.set = ["floor": floor]
                _ = try tx.devices.label(Self.did(number), change)
            }
        }
    }

    private static func did(_ number: Int) -> DeviceID { DeviceID(trusted: "d-\(number)") }

    private func label(
        _ number: Int,
        name: String? = nil,
        set: [DeviceTag] = [],
        removed: Set<String> = []
    ) throws -> (before: [DeviceTag], after: [DeviceTag]) {
        var change = DeviceLabeling()
        change.name = name
        change.set = Dictionary(uniqueKeysWithValues: set.map { ($0.name, $0) })
        change.removed = removed
        return try world.store.arrange(at: Make.now) { try $0.devices.label(Self.did(number), change) }
    }

    private func found(_ filter: DeviceFilter, after did: String = "") throws -> [String] {
        try world.store.read { tx in
            var dids: [String] = []
            try tx.devices.search(filter, after: did) {
                dids.append($0.device.did.text)
                return true
            }
            #expect(try did != "" || tx.devices.counts(filter).all == Int64(dids.count))
            return dids
        }
    }

    @Test("A change returns the tags before and after, and keeps the tags it doesn't name") func change() throws {
        let spare = DeviceTag(trusted: "spare", "")
        let first = try label(1, name: "Hall", set: [spare])
        #expect(first.before.map(\.text) == ["floor=3"])
        #expect(first.after.map(\.text) == ["floor=3", "spare"])
        let second = try label(1, set: [DeviceTag(trusted: "floor", "4")], removed: ["spare"])
        #expect(second.after.map(\.text) == ["floor=4"])
        try world.store.read { (tx) throws in
            #expect(try tx.devices.find(Self.did(1))?.name == "Hall")
            #expect(try tx.devices.names(of: [Self.did(1), Self.did(2)]) == [Self.did(1): "Hall"])
            #expect(try tx.devices.tags(of: [Self.did(1)])[Self.did(1)] == second.after)
        }
        _ = try label(1, name: "")
        #expect(try world.store.read { try $0.devices.names(of: [Self.did(1)]) }.isEmpty)
    }

    @Test("Devices are found by name, by a tag with its value or with any value, page by page") func search() throws {
        _ = try label(3, name: "Hall lamp", set: [DeviceTag(trusted: "spare", "")])
        var filter = DeviceFilter()
        filter.tag = "floor"
        #expect(try found(filter).count == 10)
        filter.tagValue = "2"
        #expect(try found(filter) == ["d-0", "d-2", "d-4", "d-6", "d-8"])
        #expect(try found(filter, after: "d-4") == ["d-6", "d-8"])
        filter.isOnline = true
        #expect(try found(filter) == [])
        filter = DeviceFilter()
        filter.tag = "spare"
        #expect(try found(filter) == ["d-3"])
        filter = DeviceFilter()
        filter.name = "hall"
        #expect(try found(filter) == ["d-3"])
        filter = DeviceFilter()
        filter.part = "all l"
        #expect(try found(filter) == ["d-3"])
        filter.part = "floor=3"
        #expect(try found(filter) == ["d-1", "d-3", "d-5", "d-7", "d-9"])
        filter.part = "nothing"
        #expect(try found(filter) == [])
    }

    @Test("A tag with its value is found with its index alone", .onlyOnFile)
    func index() throws {
        var filter = DeviceFilter()
        filter.tag = "floor"
        filter.tagValue = "2"
        let question = "EXPLAIN QUERY PLAN SELECT d.did \(DeviceTable.found(by: filter)) ORDER BY d.did"
        let plan = try world.store.read { tx in
            try tx.sql.query(question) { row -> String in
                for _ in 0..<3 { _ = row.nextColumn() }
                return row.next()
            }
        }
        #expect(plan.first?.contains("SEARCH t USING COVERING INDEX tagDevices") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN d") || $0.hasPrefix("SCAN s") }, "\(plan)")
    }

    @Test("Tags are deleted with the device")
    func forget() throws {
        try world.store.arrange(at: Make.now) { try $0.devices.forget(Self.did(2)) }
        var filter = DeviceFilter()
        filter.tag = "floor"
        filter.tagValue = "2"
        #expect(try found(filter) == ["d-0", "d-4", "d-6", "d-8"])
        #expect(try world.store.read { try $0.sql.integer("SELECT count(*) FROM tag") } == 9)
    }
}
