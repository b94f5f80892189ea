package import Domain
package import JSON

/// Writes a user's devices and the pushes about them (PROTOCOL 3.3).
package enum BindingCodec {
    /// A row of `device/list`.
    package static func row(
        _ binding: Binding,
        productKey: ProductKey,
        mac: MAC,
        productName: String,
        isOnline: Bool
    ) -> JSONValue {
        .object([
            "did": .string(binding.did.text), "productKey": .string(productKey.text),
            "mac": .string(mac.text), "productName": .string(productName),
            "alias": .string(binding.alias), "remark": .string(binding.remark),
            "role": .string(binding.role.rawValue), "access": .string(binding.access.rawValue),
            "online": .bool(isOnline), "subscribed": .bool(binding.isSubscribed),
            "boundAt": .integer(binding.boundAt.milliseconds),
        ])
    }

    /// A push on `user/{uid}/device`.
    package static func push(
        _ type: StaticString,
        _ did: DeviceID,
        _ more: [(String, JSONValue?)] = []
    ) -> [UInt8] {
        JSONObject([("type", .string("\(type)")), ("did", .string(did.text))] + more).encoded()
    }
}
