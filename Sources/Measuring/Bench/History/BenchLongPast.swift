import Domain
import JSON
import Storage
import Workers

/// Fills a store with devices, one of which has a long history: `lamplighter-bench history --into DIR`.
///
/// The store is used to measure the console's pages. The history ends at the current time.
struct BenchLongPast {
    /// The number of records in the long history.
    let records: Int
    /// The number of further devices, which have no history.
    let devices: Int

    /// The number of days over which the records are spread.
    private static let days = 365
    private static let modes = ["white", "colour", "night", "party"]

    /// Writes the devices and returns the id of the device with the long history.
    func write(into store: Store) throws -> DeviceID {
        let now = SystemClock().now
        let did = try store.fillDevices(1 + devices, of: Self.product, at: now)[0]
        let length = Int64(Self.days) * 86_400_000
        try store.fillPast(of: did, records: records, at: now) { number in
            (
                now.milliseconds - length + length * Int64(number + 1) / Int64(records),
                [
                    "temperature": .double(Double(number % 400) / 10), "power": .bool(number / 1000 % 2 == 0),
                    "mode": .string(Self.modes[number / 5000 % Self.modes.count]),
                ]
            )
        }
        return did
    }

    private static var product: Product {
        Product(
            key: ProductKey(bench: "bc"),
            name: "Bench lamp",
            dataPoints: [
                DataPoint("temperature", .float, access: .readOnly, min: -40, max: 125), DataPoint("power", .bool),
                DataPoint("mode", .enum, values: modes),
            ],
            historyDays: days + 1
        )
    }
}
