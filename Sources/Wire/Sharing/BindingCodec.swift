package import Domain
package import JSON

/// Writes a user's devices and the pushes about them (`schemas/methods/device.schema.json`).
package enum BindingCodec {
    /// Writes a row of `device/list`.
    package static func row(
        _ binding: Binding,
        productKey: ProductKey,
        mac: MAC,
        productName: String,
        isOnline: Bool,
        home: HomeID? = nil
    ) -> JSONValue {
        .object([
            "did": .string(binding.did.text), "productKey": .string(productKey.text),
            "mac": .string(mac.text), "productName": .string(productName),
            "alias": .string(binding.alias), "remark": .string(binding.remark),
            "role": .string(binding.role.rawValue), "access": .string(binding.access.rawValue),
            "online": .bool(isOnline), "subscribed": .bool(binding.isSubscribed),
            "boundAt": .integer(binding.boundAt.milliseconds),
            "guestUntil": binding.guestUntil.map { .integer($0.milliseconds) },
            "homeId": home.map { .string($0.text) },
        ])
    }

    /// Writes a row of `device/users`; names that a user did not choose to show are masked.
    package static func user(
        _ binding: Binding,
        nickname: String,
        address: String?,
        username: String?
    ) -> JSONValue {
        .object([
            "uid": .string(binding.uid.text), "nickname": .string(nickname),
            "address": address.map { .string(MaskedAddress.text($0)) },
            "username": username.map { .string(MaskedAddress.name($0)) },
            "role": .string(binding.role.rawValue), "access": .string(binding.access.rawValue),
            "boundAt": .integer(binding.boundAt.milliseconds),
            "guestUntil": binding.guestUntil.map { .integer($0.milliseconds) },
        ])
    }

    /// Writes a push on `user/{uid}/device`.
    package static func push(
        _ type: StaticString,
        _ did: DeviceID,
        _ more: [(String, JSONValue?)] = []
    ) -> [UInt8] {
        JSONObject([("type", .string("\(type)")), ("did", .string(did.text))] + more).encoded()
    }
}
