package import JSON

/// Reads and writes product documents (`schemas/documents.schema.json`).
package enum ProductCodec {
    private static let dataPointsMax = 256
    private static let namesMax = 64

    /// Reads a product document.
    package static func decode(_ object: JSONObject) throws(Rejection) -> Product {
        let fields = Fields(object)
        return Product(
            key: try fields.requiredID("productKey", as: ProductKey.self),
            name: try fields.requiredText("name", length: 1...128),
            registration: try fields.word("registration", as: Product.Registration.self) ?? .open,
            reset: try fields.word("reset", as: Product.Reset.self) ?? .owner,
            remoteBind: try fields.word("remoteBind", as: Product.RemoteBind.self) ?? .claim,
            dataPoints: try dataPoints(fields),
            alerts: try names("alerts", fields),
            faults: try names("faults", fields),
            historyDays: try fields.integer("historyDays", in: 1...36_500).map { Int($0) }
        )
    }

    private static func names(_ field: String, _ fields: Fields) throws(Rejection) -> [String] {
        let names = try fields.texts(field)
        guard names.count <= namesMax, Set(names).count == names.count,
            names.allSatisfy({ (1...64).contains($0.utf8.count) })
        else {
            throw .invalid(
                field,
                "\(field) holds up to \(namesMax) different names of 1 to 64 bytes."
            )
        }
        return names
    }

    private static func dataPoints(_ fields: Fields) throws(Rejection) -> [DataPoint] {
        let array = try fields.array("dataPoints") ?? []
        guard array.count <= dataPointsMax else {
            throw .invalid("dataPoints", "A product has at most \(dataPointsMax) data points.")
        }
        var points: [DataPoint] = []
        for (index, value) in array.enumerated() {
            let path = "dataPoints.\(index)"
            guard let object = value.objectValue else {
                throw .invalid(path, "\(path) must be an object.")
            }
            let point = try dataPoint(Fields(object, path: path + "."), path: path)
            guard !points.contains(where: { $0.name == point.name }) else {
                throw .invalid("\(path).name", "\(path).name \(point.name) stands twice.")
            }
            points.append(point)
        }
        return points
    }

    private static func dataPoint(
        _ fields: Fields,
        path: String
    ) throws(Rejection) -> DataPoint {
        let name = try fields.requiredText("name", length: 1...64)
        guard let access = try fields.word("access", as: DataPoint.Access.self) else {
            throw .invalid("\(path).access", "\(path).access is missing.")
        }
        guard let kind = try fields.word("type", as: DataPoint.Kind.self) else {
            throw .invalid("\(path).type", "\(path).type is missing.")
        }
        let point = DataPoint(
            name,
            kind,
            access: access,
            displayName: try fields.text("displayName", length: 0...128),
            min: try fields.number("min"),
            max: try fields.number("max"),
            step: try fields.number("step"),
            unit: try fields.text("unit", length: 0...32),
            values: try fields.texts("values"),
            maxLength: try fields.integer("maxLength", in: 1...65_536).map { Int($0) }
        )
        if kind == .enum, point.values.isEmpty || Set(point.values).count != point.values.count {
            throw .invalid("\(path).values", "\(path).values must list the enum's different words.")
        }
        if kind != .enum, !point.values.isEmpty {
            throw .invalid("\(path).values", "\(path).values belongs to an enum.")
        }
        if let min = point.min, let max = point.max, min > max {
            throw .invalid("\(path).min", "\(path).min lies above max.")
        }
        if let step = point.step, step <= 0 {
            throw .invalid("\(path).step", "\(path).step must be above 0.")
        }
        return point
    }

    /// Writes a product as its document, without any secret.
    package static func encode(_ product: Product) -> JSONObject {
        [
            "productKey": .string(product.key.text), "name": .string(product.name),
            "registration": .string(product.registration.rawValue),
            "reset": .string(product.reset.rawValue),
            "remoteBind": .string(product.remoteBind.rawValue),
            "dataPoints": .array(product.dataPoints.map { .object(encode($0)) }),
            "alerts": .array(product.alerts.map { .string($0) }),
            "faults": .array(product.faults.map { .string($0) }),
            "historyDays": product.historyDays.map { .integer(Int64($0)) },
        ]
    }

    private static func encode(_ point: DataPoint) -> JSONObject {
        [
            "name": .string(point.name), "displayName": point.displayName.map { .string($0) },
            "access": .string(point.access.rawValue), "type": .string(point.kind.rawValue),
            "min": point.min.map(number), "max": point.max.map(number),
            "step": point.step.map(number), "unit": point.unit.map { .string($0) },
            "values": point.values.isEmpty ? nil : .array(point.values.map { .string($0) }),
            "maxLength": point.maxLength.map { .integer(Int64($0)) },
        ]
    }

    private static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .double(value)
    }
}
