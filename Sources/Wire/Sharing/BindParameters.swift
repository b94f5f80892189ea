package import Domain

/// The parameters of `device/bind`: a device, and the proof that the caller has the device.
package struct BindParameters: Sendable, Equatable {
    /// How a request names a device: by its id, or by its product and hardware address.
    package enum Name: Sendable, Equatable {
        case did(DeviceID)
        case hardware(ProductKey, MAC)
    }

    /// The device.
    package let device: Name
    /// The passcode that the device has reported or displays.
    package let passcode: String
    /// The device label's text; if it is correct, other users' failed tries don't block the request.
    package let claim: String?

    /// Reads `passcode` and `claim`, and the device: `did`, or `productKey` and `mac`.
    package init(_ fields: Fields) throws(Rejection) {
        passcode = try fields.requiredText("passcode", length: 1...256)
        claim = try fields.text("claim", length: 1...256)
        if let did = try fields.id("did", as: DeviceID.self) {
            guard !fields.has("productKey"), !fields.has("mac") else {
                throw .invalid("params.did", "Give did, or productKey and mac, but not both.")
            }
            device = .did(did)
        } else {
            guard fields.has("productKey") || fields.has("mac") else {
                throw .invalid("params.did", "params.did is missing: give did, or productKey and mac.")
            }
            let key = try fields.requiredID("productKey", as: ProductKey.self)
            device = .hardware(key, try fields.requiredID("mac", as: MAC.self))
        }
    }
}

/// The parameters of `device/bindRemote`: a device's product and hardware address, and a proof of possession.
///
/// The proof is a text that the caller can know without contact with the device.
package struct RemoteBindParameters: Sendable, Equatable {
    /// A proof of possession.
    package enum Proof: Sendable, Equatable {
        /// The text of the device's label.
        case label(String)
        /// The product's secret.
        case productSecret(String)
    }

    /// The device's product.
    package let productKey: ProductKey
    /// The device's hardware address.
    package let mac: MAC
    /// The proof.
    package let proof: Proof

    /// Reads `productKey`, `mac`, and `claim` or `productSecret`.
    package init(_ fields: Fields) throws(Rejection) {
        productKey = try fields.requiredID("productKey", as: ProductKey.self)
        mac = try fields.requiredID("mac", as: MAC.self)
        let claim = try fields.text("claim", length: 1...256)
        let secret = try fields.text("productSecret", length: 1...256)
        switch (claim, secret) {
        case (let claim?, nil): proof = .label(claim)
        case (nil, let secret?): proof = .productSecret(secret)
        case (nil, nil): throw fields.refuse("claim", "is missing")
        case (_?, _?): throw fields.refuse("productSecret", "can't be combined with params.claim")
        }
    }
}
