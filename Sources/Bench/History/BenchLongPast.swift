package import Domain
import JSON
import Load
package import Storage

/// Writes devices into a store, one of them with a long past: `lamplighter-bench history --data
/// DIR`.
///
/// The console and its pages are measured with it. The past ends now and is written in the
/// service's way: through the buffer, then sorted.
package struct BenchLongPast: Sendable {
    /// The records of the device with the long past.
    package var records = 10_000_000
    /// The days that the records are spread over.
    package var days = 365
    /// The number of further devices, without a past.
    package var devices = 0

    private static let product = ProductKey(trusted: String(repeating: "bc", count: 16))
    private static let modes = ["white", "colour", "night", "party"]
    private static let chunk = 20_000
    private static let devicesChunk = 1000

    /// Creates a writer of a device with ten million records over a year.
    package init() {}

    /// Writes the devices and returns the one with the past.
    ///
    /// - Throws: The store's error.
    package func write(
        into store: Store,
        _ tell: @Sendable (String) -> Void
    ) throws -> DeviceID {
        let now = Instant(milliseconds: LoadClock.milliseconds)
        var ids = IDSource()
        let did = DeviceID(trusted: ids.make("d", at: now))
        try store.batch(at: now) { tx in
            try tx.lockAll()
            try tx.products.save(document, secret: "bench")
            try tx.devices.create(did, product: Self.product, mac: MAC(trusted: Self.mac(0)))
        }
        for start in stride(from: 0, to: devices, by: Self.devicesChunk) {
            let dids = (start..<min(start + Self.devicesChunk, devices)).map {
                (number: $0 + 1, did: DeviceID(trusted: ids.make("d", at: now)))
            }
            try store.batch(at: now) { tx in
                try tx.lockAll()
                for (number, did) in dids {
                    let mac = MAC(trusted: Self.mac(number))
                    try tx.devices.create(did, product: Self.product, mac: mac)
                }
            }
        }
        try writePast(of: did, into: store, at: now, tell)
        try store.checkpoint()
        return did
    }

    private func writePast(
        of did: DeviceID,
        into store: Store,
        at now: Instant,
        _ tell: @Sendable (String) -> Void
    ) throws {
        let length = Int64(days) * 86_400_000
        for start in stride(from: 0, to: records, by: Self.chunk) {
            let made = (start..<min(start + Self.chunk, records)).map { number in
                let before = length - length * Int64(number + 1) / Int64(records)
                return HistoryRecord(
                    did: did,
                    ts: Instant(milliseconds: now.milliseconds - before),
                    data: [
                        "temperature": .double(Double(number % 400) / 10),
                        "power": .bool(number / 1000 % 2 == 0),
                        "mode": .string(Self.modes[number / 5000 % Self.modes.count]),
                    ]
                )
            }
            try store.batch(at: now) { try $0.history.append(made) }
            try store.compactHistory(bytesMax: .max, step: 100, at: now)
            if start % 1_000_000 == 0 { tell("\(start) records are written") }
        }
    }

    private var document: Product {
        Product(
            key: Self.product,
            name: "Bench lamp",
            dataPoints: [
                DataPoint("temperature", .float, access: .readOnly, min: -40, max: 125),
                DataPoint("power", .bool), DataPoint("mode", .enum, values: Self.modes),
            ],
            historyDays: days + 1
        )
    }

    private static func mac(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "bc" + String(repeating: "0", count: 10 - digits.count) + digits
    }
}
