import Domain
import Storage
import StoreTestKit
import TestKit
import Testing

@testable import Administration

@Suite("A search for devices")
struct DeviceSearchTests {
    private static let now = Instant(milliseconds: 1_774_569_600_000)
    private let directory: TemporaryDirectory
    private let store: Store

    /// Creates three devices: one named Hall with two tags, one with one tag, and one without tags.
    init() throws {
        directory = try TemporaryDirectory()
        store = try TestStore.open(directory)
        let key = ProductKey(trusted: String(repeating: "a", count: 32))
        try store.batch(at: Self.now) { tx in
            try tx.lockAll()
            try tx.products.save(Product(key: key, name: "Lamp"), secret: "s")
            for number in 1...3 {
                let mac = MAC(trusted: "00000000000\(number)")
                try tx.devices.create(Self.did(number), product: key, mac: mac)
            }
            var change = DeviceLabeling()
            change.set = ["floor": DeviceTag(trusted: "floor", "2")]
            _ = try tx.devices.label(Self.did(2), change)
            change.name = "Hall"
            change.set["wing"] = DeviceTag(trusted: "wing", "A 1")
            _ = try tx.devices.label(Self.did(1), change)
        }
    }

    private static func did(_ number: Int) -> DeviceID { DeviceID(trusted: "d-\(number)") }

    private func page(_ query: String, after did: String = "", limit: Int = 10) throws -> FoundDevices {
        try store.read { tx in
            let terms = try SearchTerms(query)
            let search = try DeviceSearch(terms, products: tx.products.all(), at: Self.now)
            return try FoundDevices(search, after: did, limit: limit, in: tx)
        }
    }

    private static let queries: [(String, [Int])] = [
        ("", [1, 2, 3]), ("tag:floor=2", [1, 2]), ("tag:floor", [1, 2]), ("tag:floor=3", []), ("tag:floor=", []),
        ("tag:flo", []), ("-tag:floor=2", [3]), ("-tag:wing", [2, 3]), ("tag:floor=2 tag:wing", [1]),
        ("tag:\"wing=A 1\"", [1]), ("tag:floor=2 -name:hall", [2]), ("name:hal", [1]), ("name:\"Hall\"", [1]),
        ("name:\"hall\"", []), ("name:h name:l", [1]), ("hall", [1]), ("-hall", [2, 3]), ("wing=a", [1]),
        ("lamp tag:floor=2 hall", [1]), ("\"floor=2\"", [1, 2]), ("tag:floor=2 online:yes", []),
    ]

    @Test("A search finds devices by name, tag and words, each of which can be omitted", arguments: queries) func finds(
        _ query: String,
        _ numbers: [Int]
    ) throws { #expect(try page(query).found.map(\.device.did) == numbers.map(Self.did)) }

    @Test("The next page begins after the last device of a page, and the last page has no next page")
    func pages() throws {
        let first = try page("", limit: 2)
        #expect(first.found.count == 2 && first.next == Self.did(2))
        let second = try page("", after: "d-2", limit: 2)
        #expect(second.found.map(\.device.did) == [Self.did(3)] && second.next == nil)
        #expect(try page("tag:floor=2", limit: 2).next == nil)
    }

    @Test("A search that can't be parsed is refused with the reason")
    func refuses() throws {
        let refusal = #expect(throws: Refused.self) { try page("colour:red") }
        #expect(refusal?.field == "query" && refusal?.detail.contains("tag:") == true)
    }
}
