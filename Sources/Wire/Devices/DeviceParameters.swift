package import Domain

/// The parameters of `device/list`, without the page.
package struct DeviceListParameters: Sendable, Equatable {
    /// The products whose devices are listed; nil for all.
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

/// The parameters of `device/subscribe`, without the device.
package struct SubscribeParameters: Sendable, Equatable {
    /// Whether the caller gets the device's messages.
    package let isSubscribed: Bool

    /// Reads `subscribed`.
    package init(_ fields: Fields) throws(Rejection) {
        isSubscribed = try fields.requiredBool("subscribed")
    }
}

/// The parameters of `device/setCustomInfo`, without the device.
package struct CustomInfoParameters: Sendable, Equatable {
    /// The user's name for the device; nil leaves it unchanged.
    package let alias: String?
    /// The user's note about it; nil leaves it unchanged.
    package let remark: String?

    /// Reads `alias` and `remark`.
    package init(_ fields: Fields) throws(Rejection) {
        alias = try fields.text("alias", length: 0...Binding.aliasMax)
        remark = try fields.text("remark", length: 0...Binding.remarkMax)
    }
}
