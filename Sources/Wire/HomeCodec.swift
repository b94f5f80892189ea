package import Domain
package import JSON

/// Writes homes (PROTOCOL 3.6).
package enum HomeCodec {
    /// A row of `home/list`.
    package static func row(_ home: Home, dids: [DeviceID]) -> JSONValue {
        .object([
            "homeId": .string(home.id.text), "name": .string(home.name),
            "latitude": (home.place?.latitude).map { .double($0) },
            "longitude": (home.place?.longitude).map { .double($0) },
            "dids": .array(dids.map { .string($0.text) }),
        ])
    }
}
