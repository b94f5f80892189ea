package import Domain
package import JSON

/// A codec for homes (`schemas/methods/home.schema.json`).
package enum HomeCodec {
    /// Returns a row of `home/list`.
    package static func row(_ home: Home, dids: [DeviceID]) -> JSONValue {
        JSONObject(showing: [
            "homeId": home.id, "name": home.name, "latitude": home.place?.latitude, "longitude": home.place?.longitude,
            "dids": dids,
        ]).shown
    }

    /// Returns the answer to `home/create`.
    package static func created(_ id: HomeID) -> Answer { ["homeId": .string(id.text)] }

    /// Reads the name of a home.
    package static func name(_ fields: Fields) throws(Rejection) -> String {
        try fields.requiredText("name", length: Home.nameLength)
    }

    /// Reads a home's place, or returns nil if the request has no coordinates.
    ///
    /// A request with only one of the two coordinates is refused.
    package static func place(_ fields: Fields) throws(Rejection) -> Location? {
        let latitude = try degrees("latitude", upTo: 90, of: fields)
        let longitude = try degrees("longitude", upTo: 180, of: fields)
        if latitude == nil, longitude == nil { return nil }
        let north = try fields.required("latitude", latitude)
        return Location(latitude: north, longitude: try fields.required("longitude", longitude))
    }

    private static func degrees(_ name: String, upTo max: Double, of fields: Fields) throws(Rejection) -> Double? {
        guard let value = try fields.number(name) else { return nil }
        guard (-max...max).contains(value) else {
            throw fields.refuse(name, "must lie between -\(Int(max)) and \(Int(max))")
        }
        return value
    }
}
