package import Domain

/// The parameters of `device/list`, beside the page.
package struct DeviceListParameters: Sendable, Equatable {
    /// The products whose devices are wanted; nil for all.
    package let products: [ProductKey]?

    /// Reads `productKeys`.
    package init(_ fields: Fields) throws(Rejection) {
        guard fields.has("productKeys") else {
            products = nil
            return
        }
        var keys: [ProductKey] = []
        for text in try fields.texts("productKeys") {
            guard let key = ProductKey(text) else {
                throw fields.refuse("productKeys", "must hold product keys only")
            }
            keys.append(key)
        }
        products = keys
    }
}

/// The parameters of `device/subscribe`, beside the device.
package struct SubscribeParameters: Sendable, Equatable {
    /// Whether the caller gets the device's messages.
    package let isSubscribed: Bool

    /// Reads `subscribed`.
    package init(_ fields: Fields) throws(Rejection) {
        isSubscribed = try fields.requiredBool("subscribed")
    }
}

/// The parameters of `device/setCustomInfo`, beside the device.
package struct CustomInfoParameters: Sendable, Equatable {
    /// The user's name of the device; nil leaves it as it is.
    package let alias: String?
    /// The user's note about it; nil leaves it as it is.
    package let remark: String?

    /// Reads `alias` and `remark`.
    package init(_ fields: Fields) throws(Rejection) {
        alias = try fields.text("alias", length: 0...Binding.aliasMax)
        remark = try fields.text("remark", length: 0...Binding.remarkMax)
    }
}
