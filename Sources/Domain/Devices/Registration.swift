package import JSON

/// A device's request for an identity.
///
/// The documentation describes the rules for registration (reference: registration#again).
package struct RegistrationRequest: Sendable, Equatable {
    /// The message's id, which the answer repeats.
    package var id: MessageID
    /// The product, from the topic.
    package var productKey: ProductKey
    /// The hardware address, from the topic.
    package var mac: MAC
    /// The secret with which a user who binds the device proves possession of it.
    package var passcode: String
    /// The device's previous secret; nil if the request contains no secret.
    package var oldSecret: String?
    /// The device's parts and versions.
    package var hardware: JSONObject

    /// Makes a request.
    package init(
        id: MessageID,
        productKey: ProductKey,
        mac: MAC,
        passcode: String,
        oldSecret: String?,
        hardware: JSONObject
    ) {
        self.id = id
        self.productKey = productKey
        self.mac = mac
        self.passcode = passcode
        self.oldSecret = oldSecret
        self.hardware = hardware
    }

    /// The allowed length of a passcode, in characters.
    package static let passcodeLength = 6...32
    /// The hardware fields that are kept.
    package static let hardwareFields = [
        "wifiHardVersion", "wifiSoftVersion", "mcuHardVersion", "mcuSoftVersion",
        "wifiFirmwareId", "wifiFirmwareVer", "productKey", "link",
    ]
    /// The valid values of `hardware.link`.
    package static let links = ["wifi", "cellular", "bluetooth", "ethernet"]
}

/// The facts about a known device that decide about its registration request.
package struct KnownDevice: Sendable, Equatable {
    /// The device's id.
    package var did: DeviceID
    /// Whether any user is bound to the device.
    package var isBound: Bool
    /// Whether the device has registered before.
    ///
    /// A device that was bound remotely may not have registered yet.
    package var hasRegistered: Bool
    /// Whether the device is connected.
    package var isOnline: Bool
    /// The time until which a factory reset is allowed.
    package var resetUntil: Instant?
    /// Whether the request's secret is right, or nil if the request has no secret.
    package var hasRightSecret: Bool?

    /// Makes the record.
    package init(
        did: DeviceID,
        isBound: Bool,
        hasRegistered: Bool = true,
        isOnline: Bool,
        resetUntil: Instant?,
        hasRightSecret: Bool?
    ) {
        self.did = did
        self.isBound = isBound
        self.hasRegistered = hasRegistered
        self.isOnline = isOnline
        self.resetUntil = resetUntil
        self.hasRightSecret = hasRightSecret
    }
}

/// The rules that decide whether a registration request gets a device's identity.
package enum RegistrationRules {
    /// The decision about a registration request.
    package enum Decision: Sendable, Equatable {
        /// Create a new identity.
        case create
        /// Issue a new secret for the known identity.
        case renew(DeviceID)
        /// End the device's ownership period, then issue a new secret for its identity.
        case reset(DeviceID)
        /// Refuse the request.
        ///
        /// If `asksForReset` names a device, the device's owner and special user are notified. If such a request
        /// contained a wrong secret, the request counts as one of the tries that `triesMax` limits.
        case refuse(Rejection, asksForReset: DeviceID?)

        /// The word for the decision in the event log.
        package var word: String {
            switch self {
            case .create: "created"
            case .renew: "renewed"
            case .reset: "reset"
            case .refuse: "refused"
            }
        }
    }

    /// The maximum number of tries with a wrong secret for one MAC within `triesWindowSeconds`.
    ///
    /// The limit only protects the owner from too many notifications. The right secret, of 256 random bits, is always
    /// accepted.
    package static let triesMax = 5
    /// The period in which wrong tries are counted, in seconds.
    package static let triesWindowSeconds: Int64 = 900
    /// The time for which a reset stays allowed, in seconds.
    package static let resetWindowSeconds: Int64 = 900
    /// The longest time for which an operator may allow a reset, in minutes.
    package static let resetMinutesMax: Int64 = 1440

    /// Decides how to answer a registration request.
    ///
    /// If the MAC has no tries left, `retryAfter` is the number of seconds until the next try; otherwise, it is nil.
    package static func decide(
        product: Product,
        isListed: Bool,
        known: KnownDevice?,
        retryAfter: Int64?,
        at now: Instant
    ) -> Decision {
        if product.registration == .listed, !isListed {
            return .refuse(Rejection(.notListed, "This MAC is not on the product's list."), asksForReset: nil)
        }
        guard let known else { return .create }
        guard known.isBound, known.hasRegistered else { return .renew(known.did) }
        // A reset window that ends after `farthest` is ignored. Such a window means that the clock was set back after
        // the window was opened.
        let farthest = now.adding(seconds: resetMinutesMax * 60)
        if let until = known.resetUntil, until > now, until <= farthest {
            // A device with the right secret needs no reset, and keeps its bindings and history.
            return known.hasRightSecret == true ? .renew(known.did) : .reset(known.did)
        }
        // A secret of 256 random bits can't be guessed. Wrong tries by others thus never lock the device out.
        if known.hasRightSecret == true { return .renew(known.did) }
        if let retryAfter {
            return .refuse(
                Rejection(.tooManyRequests, "Too many tries with a wrong secret for this MAC.", retryAfter: retryAfter),
                asksForReset: nil
            )
        }
        if product.reset == .open, !known.isOnline { return .reset(known.did) }
        return .refuse(
            Rejection(
                .forbidden,
                "The device is bound: send its old secret, or have its owner allow a reset.",
                field: "oldSecret"
            ),
            asksForReset: known.did
        )
    }
}

/// The text of a device's label, which names the device and proves possession of it.
///
/// The last part is a digest, made with a key that never leaves the service. No other party can therefore make valid
/// labels.
package enum DeviceLabel {
    /// The prefix by which an app recognises a device's label.
    package static let prefix = "LL1"
    /// The number of bytes of the keyed digest in the label.
    package static let proofBytes = 16

    /// Returns the text of a device's label.
    package static func text(_ key: ProductKey, _ mac: MAC, proof: String) -> String {
        "\(prefix):\(key.text):\(mac.text):\(proof)"
    }
}
