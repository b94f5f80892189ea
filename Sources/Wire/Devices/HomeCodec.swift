package import Domain
package import JSON

/// Writes homes.
package enum HomeCodec {
    /// Writes a row of `home/list`.
    package static func row(_ home: Home, dids: [DeviceID]) -> JSONValue {
        .object([
            "homeId": .string(home.id.text), "name": .string(home.name),
            "latitude": (home.place?.latitude).map { .double($0) },
            "longitude": (home.place?.longitude).map { .double($0) },
            "dids": .array(dids.map { .string($0.text) }),
        ])
    }
}
