package import Domain

extension Fields {
    /// Returns the keys in `productKeys`, or nil if the field is absent.
    package func productKeys() throws(Rejection) -> [ProductKey]? {
        guard has("productKeys") else { return nil }
        let keys = try texts("productKeys").map { ProductKey($0) }
        guard !keys.contains(nil) else { throw refuse("productKeys", "must contain only product keys") }
        return keys.compactMap(\.self)
    }

    /// Returns the required field `subscribed`: whether the caller gets the device's messages.
    package func subscribes() throws(Rejection) -> Bool { try requiredBool("subscribed") }

    /// Returns `timeout` of `device/query`, the time to wait for the device's answer, in seconds.
    package func queryTimeout() throws(Rejection) -> Int64 { try integer("timeout", in: 1...60) ?? 10 }
}

/// The parameters of `device/setCustomInfo`, except the device.
package struct CustomInfoParameters: Sendable, Equatable {
    /// The user's name for the device; nil leaves the name unchanged.
    package let alias: String?
    /// The user's note about the device; nil leaves the note unchanged.
    package let remark: String?

    /// Reads `alias` and `remark`.
    package init(_ fields: Fields) throws(Rejection) {
        alias = try fields.text("alias", length: 0...Binding.aliasMax)
        remark = try fields.text("remark", length: 0...Binding.remarkMax)
    }
}
