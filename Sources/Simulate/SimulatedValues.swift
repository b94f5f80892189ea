import Domain
import Glibc
import JSON

/// The values of a simulated device, which change like the values of a real device.
struct SimulatedValues {
    private let product: Product
    private(set) var current: [String: JSONValue] = [:]
    private var activeFault: String?

    init(_ product: Product) {
        self.product = product
        for point in product.dataPoints where point.access != .writeOnly {
            current[point.name] = Self.value(of: point, at: 0)
        }
    }

    /// Updates some values at the moment `seconds`, and returns the values to report.
    mutating func drift(at seconds: Double) -> JSONObject {
        var changed: [(String, JSONValue?)] = []
        for point in product.dataPoints where point.access != .writeOnly {
            // Users rarely change a value, but measurements change all the time.
            let isMeasured = point.access == .readOnly && point.kind == .float
            guard isMeasured || Int.random(in: 0..<20) == 0 else { continue }
            current[point.name] = Self.value(of: point, at: seconds)
            changed.append((point.name, current[point.name]))
        }
        if changed.isEmpty, let name = current.keys.sorted().first { changed.append((name, current[name])) }
        return JSONObject(changed)
    }

    /// Stores the values that a command writes.
    ///
    /// - Returns: Whether all data points are known. A data point that was added after the simulation began is unknown.
    mutating func write(_ data: JSONObject) -> Bool {
        for member in data.members where product.point(member.key) != nil {
            if product.point(member.key)?.access != .writeOnly { current[member.key] = member.value }
        }
        return data.members.allSatisfy { product.point($0.key) != nil }
    }

    var all: JSONObject { JSONObject(current.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) }

    /// Randomly begins or ends a fault and returns the change, or returns nil if nothing changed.
    mutating func fault() -> JSONValue? {
        guard let name = product.faults.first ?? product.alerts.first else { return nil }
        if let active = activeFault {
            guard Int.random(in: 0..<10) == 0 else { return nil }
            activeFault = nil
            return [["name": .string(active), "value": false]]
        }
        guard Int.random(in: 0..<200) == 0 else { return nil }
        activeFault = name
        return [["name": .string(name), "value": true]]
    }

    /// The report's field that contains the result of `fault()`: `faults`, or `alerts` for a product without faults.
    var faultField: String { product.faults.isEmpty ? "alerts" : "faults" }

    /// Returns a random value of a readable and writable data point, or nil if the product has no such point.
    static func command(_ product: Product) -> JSONObject? {
        let point =
            product.dataPoints.first { $0.access == .readWrite && $0.kind == .bool }
            ?? product.dataPoints.first { $0.access == .readWrite }
        return point.map { JSONObject([($0.name, value(of: $0, at: 0))]) }
    }

    private static func value(of point: DataPoint, at seconds: Double) -> JSONValue {
        let low = point.min ?? 0
        let high = point.max ?? 100
        switch point.kind {
        case .bool: return .bool(Bool.random())
        case .int: return .integer(Int64(stepped(Double.random(in: low...high), point)))
        case .float: return .double(stepped(curve(seconds, low, high: high), point))
        case .enum: return .string(point.values.randomElement() ?? "")
        case .string: return .string("simulated")
        case .raw: return .string("c2lt")
        }
    }

    /// Returns a noisy measurement on a daily temperature curve, warm in the afternoon.
    private static func curve(_ seconds: Double, _ low: Double, high: Double) -> Double {
        let day = 2 * Double.pi * (seconds / 86_400 - 0.625)
        let middle = max(low, min(high, 20))
        let value = middle + 6 * cos(day) + Double.random(in: -0.2...0.2)
        return (max(low, min(high, value)) * 10).rounded() / 10
    }

    private static func stepped(_ value: Double, _ point: DataPoint) -> Double {
        guard let step = point.step, step > 0 else { return point.kind == .int ? value.rounded(.down) : value }
        let origin = point.min ?? 0
        return origin + ((value - origin) / step).rounded(.down) * step
    }
}
