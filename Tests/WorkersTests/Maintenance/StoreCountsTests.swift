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

    @Test("A product that is no longer among the largest leaves its series to the others'")
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
}
