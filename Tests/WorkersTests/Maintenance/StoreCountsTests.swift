import Domain
import MetricsTestKit
import Testing

@testable import Storage
@testable import Workers

@Suite("The counts of the store, as metrics") struct StoreCountsTests {
    private func product(_ number: Int, devices: Int64) -> ProductCount {
        ProductCount(
            product: ProductKey(trusted: "p-\(number)"),
            total: devices,
            online: 1
        )
    }

    @Test("A product that is no longer among the largest loses its series, and counts among the others")

    func largest() throws {
        let metrics = TestMetrics()
        var job = StoreCounts(try World().environment, metrics: metrics)
        func labels() throws -> Set<String> {
            Set(
                metrics.recorders.filter { $0.label == "lamplighter_devices" }
                    .flatMap(\.dimensions).filter { $0.0 == "product" }.map(\.1)
            )
        }
        let products = (0..<StoreCounts.productsMax).map { product($0, devices: 2) }

        job.show(products + [product(1000, devices: 1)])
        #expect(try labels().count == StoreCounts.productsMax + 1)
        #expect(try labels().contains("p-0"))
        job.show(
            Array(products.dropFirst()) + [product(0, devices: 1), product(1000, devices: 3)]
        )

        #expect(try labels().count == StoreCounts.productsMax + 1)
        #expect(try !labels().contains("p-0"))
        #expect(try labels().isSuperset(of: ["p-1000", "other"]))
    }

    @Test("The outboxes of all lanes count for their worker")
    func lanes() throws {
        let metrics = TestMetrics()
        let world = try World()
        try world.write { tx in
            for lane in ["status.03", "status.07", "control"] {
                _ = try tx.outbox.add([OutboundMessage("t", [1])], by: lane, isSecret: false)
            }
        }
        world.clock.advance(seconds: 5)
        let job = StoreGauges(world.environment, metrics: metrics)
        func value(_ name: String, _ worker: String) throws -> Double? {
            try metrics.expectGauge("lamplighter_outbox_\(name)", [("worker", worker)]).lastValue
        }

        _ = try job.step()
        #expect(try value("rows", "status") == 2 && value("rows", "control") == 1)
        #expect(try value("age_seconds", "status") == 5 && value("rows", "account") == 0)

        job.rest()
        #expect(try value("rows", "status") == 0 && value("age_seconds", "status") == 0)
    }
}
