package import JSON

/// A codec for product documents (`schemas/documents.schema.json`).
package enum ProductCodec {
    private static let dataPointsMax = 256
    private static let namesMax = 64

    /// The members that a product document may have.
    package static let members = [
        "productKey", "name", "registration", "reset", "remoteBind", "dataPoints", "alerts", "faults", "historyDays",
        "productSecret", "macs", "$schema",
    ]
    /// The members that a data point of a product document may have.
    package static let pointMembers = [
        "name", "displayName", "access", "type", "min", "max", "step", "unit", "values", "maxLength",
    ]

    /// Parses a product document.
    ///
    /// - Throws: A `Rejection` for the first fault, with all other faults in `others`.
    package static func decode(_ object: JSONObject) throws(Rejection) -> Product {
        let fields = Fields(object)
        var faults = Faults()
        let product = Product(
            key: faults.catching(try fields.requiredID("productKey", as: ProductKey.self)) ?? ProductKey(trusted: ""),
            name: faults.catching(try fields.requiredText("name", length: 1...128)) ?? "",
            registration: faults.catching(try fields.word("registration", as: Product.Registration.self)) ?? .open,
            reset: faults.catching(try fields.word("reset", as: Product.Reset.self)) ?? .owner,
            remoteBind: faults.catching(try fields.word("remoteBind", as: Product.RemoteBind.self)) ?? .claim,
            dataPoints: dataPoints(fields, &faults),
            alerts: faults.catching(try names("alerts", fields)) ?? [],
            faults: faults.catching(try names("faults", fields)) ?? [],
            historyDays: faults.catching(try fields.integer("historyDays", in: 1...36_500))
                .map { Int($0) }
        )
        try faults.throwFirst()
        return product
    }

    private static func names(_ field: String, _ fields: Fields) throws(Rejection) -> [String] {
        let names = try fields.texts(field)
        guard names.count <= namesMax, Set(names).count == names.count,
            names.allSatisfy({ (1...64).contains($0.utf8.count) })
        else { throw .invalid(field, "\(field) may have up to \(namesMax) different names of 1 to 64 bytes.") }
        return names
    }

    private static func dataPoints(_ fields: Fields, _ faults: inout Faults) -> [DataPoint] {
        let array = faults.catching(try fields.array("dataPoints")) ?? []
        guard array.count <= dataPointsMax else {
            faults.add(.invalid("dataPoints", "A product has at most \(dataPointsMax) data points."))
            return []
        }
        var points: [DataPoint] = []
        for (index, value) in array.enumerated() {
            let path = "dataPoints.\(index)"
            guard let object = value.objectValue else {
                faults.add(.invalid(path, "\(path) must be an object."))
                continue
            }
            let point = dataPoint(Fields(object, path: path + "."), path: path, faults: &faults)
            if !point.name.isEmpty, points.contains(where: { $0.name == point.name }) {
                faults.add(.invalid("\(path).name", "\(path).name \(point.name) occurs twice."))
            }
            points.append(point)
        }
        return points
    }

    private static func dataPoint(_ fields: Fields, path: String, faults: inout Faults) -> DataPoint {
        for name in ["access", "type"] where !fields.has(name) {
            faults.add(fields.refuse(name, "is missing"))
        }
        let point = DataPoint(
            faults.catching(try fields.requiredText("name", length: 1...64)) ?? "",
            faults.catching(try fields.word("type", as: DataPoint.Kind.self)) ?? .raw,
            access: faults.catching(try fields.word("access", as: DataPoint.Access.self)) ?? .readOnly,
            displayName: faults.catching(try fields.text("displayName", length: 0...128)),
            min: faults.catching(try fields.number("min")),
            max: faults.catching(try fields.number("max")),
            step: faults.catching(try fields.number("step")),
            unit: faults.catching(try fields.text("unit", length: 0...32)),
            values: faults.catching(try fields.texts("values")) ?? [],
            maxLength: faults.catching(try fields.integer("maxLength", in: 1...65_536)).map { Int($0) }
        )
        let kind = fields.object["type"]?.stringValue.flatMap(DataPoint.Kind.init(rawValue:))
        for (name, fault) in broken(point, kind) {
            faults.add(fields.refuse(name, fault))
        }
        return point
    }

    /// Returns the invalid members of a data point, each with its fault.
    ///
    /// If the document names no known type for the data point, `kind` is nil.
    private static func broken(_ point: DataPoint, _ kind: DataPoint.Kind?) -> [(name: String, fault: String)] {
        var broken: [(String, String)] = []
        if kind == .enum, point.values.isEmpty || Set(point.values).count != point.values.count {
            broken.append(("values", "must list the values of the enum, each once"))
        }
        if let kind, kind != .enum, !point.values.isEmpty { broken.append(("values", "is allowed only for an enum")) }
        if let min = point.min, let max = point.max, min > max { broken.append(("min", "lies above max")) }
        if let step = point.step, step <= 0 { broken.append(("step", "must be above 0")) }
        return broken
    }

    /// Returns a product's document, without any secret.
    package static func encode(_ product: Product) -> JSONObject {
        [
            "productKey": .string(product.key.text), "name": .string(product.name),
            "registration": .string(product.registration.rawValue), "reset": .string(product.reset.rawValue),
            "remoteBind": .string(product.remoteBind.rawValue),
            "dataPoints": .array(product.dataPoints.map { .object(encode($0)) }),
            "alerts": .array(product.alerts.map { .string($0) }), "faults": .array(product.faults.map { .string($0) }),
            "historyDays": product.historyDays.map { .integer(Int64($0)) },
        ]
    }

    private static func encode(_ point: DataPoint) -> JSONObject {
        [
            "name": .string(point.name), "displayName": point.displayName.map { .string($0) },
            "access": .string(point.access.rawValue), "type": .string(point.kind.rawValue),
            "min": point.min.map(number), "max": point.max.map(number), "step": point.step.map(number),
            "unit": point.unit.map { .string($0) },
            "values": point.values.isEmpty ? nil : .array(point.values.map { .string($0) }),
            "maxLength": point.maxLength.map { .integer(Int64($0)) },
        ]
    }

    /// Returns a JSON integer if the number is whole, and otherwise a decimal number.
    package static func number(_ value: Double) -> JSONValue {
        Int64(exactly: value).map { .integer($0) } ?? .double(value)
    }
}
