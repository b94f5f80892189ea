import Domain
import StoreTestKit
import Testing

@testable import Storage

@Suite("Counts for operators")
struct CountsTests {
    @Test("Devices are counted by product and by presence")
    func devices() throws {
        let world = try World()
        try world.fill()
        let other = ProductKey(trusted: String(repeating: "b", count: 32))
        let did = DeviceID(trusted: "d-0000000000002")
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.products.save(Product(key: other, name: "Plug"), secret: "x")
            try tx.devices.create(did, product: other, mac: MAC(trusted: "0123456789ac"))
            var record = try #require(try tx.statuses.find(did))
            record.status.presence.isOnline = true
            record.status.presence.isAlive = true
            try tx.statuses.save(reported: [], moved: [record])
        }

        let counts = try world.store.read { try $0.statuses.countsByProduct() }

        #expect(
            counts.sorted { $0.product < $1.product } == [
                ProductCount(product: Make.key, total: 1, online: 0), ProductCount(product: other, total: 1, online: 1),
            ]
        )
    }

    @Test(
        "Devices are counted in an index, without reading their rows",
        .onlyOnFile,
        arguments: [
            (StatusTable.countByProduct, "deviceMac"),
            (StatusTable.onlineByProduct, "statusOnline"),
        ]
    )
    func plans(query: String, index: String) throws {
        let plan = try World().store.read { tx in
            try tx.sql.query("EXPLAIN QUERY PLAN \(query)") {
                for _ in 0..<3 { _ = $0.nextColumn() }
                return $0.next(String.self)
            }
        }
        #expect(plan.first?.hasSuffix("USING COVERING INDEX \(index)") == true, "\(plan)")
    }

    @Test("The age of a worker's outbox is the age of its oldest row")
    func outbox() throws {
        let world = try World()
        #expect(try world.store.read { try $0.outbox.oldest(of: "status") } == nil)
        for (seconds, worker) in [(1, "control"), (2, "status"), (4, "status"), (9, "status")] {
            _ = try world.store.arrange(at: Make.at(Int64(seconds))) {
                try $0.outbox.add([Make.message()], by: worker, isSecret: false)
            }
        }

        #expect(try world.store.read { try $0.outbox.oldest(of: "status") } == Make.at(2))
    }
}
