package import Domain
package import JSON

/// A codec for homes (`schemas/methods/home.schema.json`).
package enum HomeCodec {
    /// Returns a row of `home/list`.
    package static func row(_ home: Home, dids: [DeviceID]) -> JSONValue {
        .object([
            "homeId": .string(home.id.text), "name": .string(home.name),
            "latitude": (home.place?.latitude).map { .double($0) },
            "longitude": (home.place?.longitude).map { .double($0) }, "dids": .array(dids.map { .string($0.text) }),
        ])
    }

    /// Returns the answer to `home/create`.
    package static func created(_ id: HomeID) -> Answer { ["homeId": .string(id.text)] }

    /// Reads the name of a home.
    package static func name(_ fields: Fields) throws(Rejection) -> String {
        try fields.requiredText("name", length: Home.nameLength)
    }

    /// Reads the place of a home; the request must give both coordinates or none.
    package static func place(_ fields: Fields) throws(Rejection) -> Location? {
        let latitude = try degrees("latitude", upTo: 90, of: fields)
        let longitude = try degrees("longitude", upTo: 180, of: fields)
        if latitude == nil, longitude == nil { return nil }
        return Location(
            latitude: try fields.required("latitude", latitude),
            longitude: try fields.required("longitude", longitude)
        )
    }

    private static func degrees(_ name: String, upTo max: Double, of fields: Fields) throws(Rejection) -> Double? {
        guard let value = try fields.number(name) else { return nil }
        guard (-max...max).contains(value) else {
            throw fields.refuse(name, "must lie between -\(Int(max)) and \(Int(max))")
        }
        return value
    }
}
