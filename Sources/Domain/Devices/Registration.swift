package import JSON

/// A device's request for an identity.
///
/// The rules in words (reference: registration#again).
package struct RegistrationRequest: Sendable, Equatable {
    /// The message's id, returned in the answer.
    package var id: MessageID
    /// The product, from the topic.
    package var productKey: ProductKey
    /// The hardware address, from the topic.
    package var mac: MAC
    /// The proof of possession when a user binds.
    package var passcode: String
    /// The device's previous secret, if any.
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

    /// How many characters a passcode has.
    package static let passcodeLength = 6...32
    /// The hardware fields that are kept.
    package static let hardwareFields = [
        "wifiHardVersion", "wifiSoftVersion", "mcuHardVersion", "mcuSoftVersion",
        "wifiFirmwareId", "wifiFirmwareVer", "productKey", "link",
    ]
    /// The words of `hardware.link`.
    package static let links = ["wifi", "cellular", "bluetooth", "ethernet"]
}

/// The stored facts about a device that registers again.
package struct KnownDevice: Sendable, Equatable {
    /// Its id.
    package var did: DeviceID
    /// Whether any user is bound to it.
    package var isBound: Bool
    /// Whether it has had an identity before; a device that was first bound remotely has not.
    package var hasRegistered: Bool
    /// Whether it is connected.
    package var isOnline: Bool
    /// The end of the time in which a factory reset is allowed.
    package var resetUntil: Instant?
    /// Whether the request's secret is right; nil if it gave none.
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

/// The rules by which a request gets a device's identity.
package enum RegistrationRules {
    /// The decision.
    package enum Decision: Sendable, Equatable {
        /// Make a new identity.
        case create
        /// Give a new secret to the known identity.
        case renew(DeviceID)
        /// As `renew`, after ending the device's ownership period.
        case reset(DeviceID)
        /// Refuse, count the try, and notify the principals of the device, if one is named.
        case refuse(Rejection, asksForReset: DeviceID?)

        /// The word for it in the event log.
        package var word: String {
            switch self {
            case .create: "created"
            case .renew: "renewed"
            case .reset: "reset"
            case .refuse: "refused"
            }
        }
    }

    /// The maximum number of wrong secrets for one MAC within `triesWindowSeconds`; the right one is always accepted.
    ///
    /// The limit only spares the owner the notifications: no number of tries finds a secret of 256 random bits.
    package static let triesMax = 5
    /// The window in which wrong tries count, in seconds.
    package static let triesWindowSeconds: Int64 = 900
    /// The time for which a reset stays allowed, in seconds.
    package static let resetWindowSeconds: Int64 = 900
    /// The longest time that an operator may allow, in minutes.
    package static let resetMinutesMax: Int64 = 1440

    /// Decides about a request; `retryAfter` is set while the MAC has used up its tries.
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
        // An end farther ahead was set before the clock was set back.
        let farthest = now.adding(seconds: resetMinutesMax * 60)
        if let until = known.resetUntil, until > now, until <= farthest {
            // A device with the right secret needs no reset: bindings and history stay.
            return known.hasRightSecret == true ? .renew(known.did) : .reset(known.did)
        }
        // The secret has 256 random bits: guessing is hopeless, so wrong tries of others never lock the device out.
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

/// The text of the label that is printed on a device: it names the device and proves possession.
///
/// The last part is made with a key that never leaves the service: no other party makes labels.
package enum DeviceLabel {
    /// The prefix, by which an app recognises a device's label.
    package static let prefix = "LL1"
    /// The number of bytes of the keyed digest in the label.
    package static let proofBytes = 16

    /// Writes a label.
    package static func text(_ key: ProductKey, _ mac: MAC, proof: String) -> String {
        "\(prefix):\(key.text):\(mac.text):\(proof)"
    }
}
