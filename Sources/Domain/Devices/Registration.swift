package import JSON

/// A device's request for an identity.
///
/// The rules in words (reference: registration#again).
package struct RegistrationRequest: Sendable, Equatable {
    /// The message's id, given back in the answer.
    package var id: MessageID
    /// The product, from the topic.
    package var productKey: ProductKey
    /// The hardware address, from the topic.
    package var mac: MAC
    /// The proof of possession when a user binds.
    package var passcode: String
    /// The device's secret until now, when it has one.
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
    /// Whether it has had an identity before; one that was bound from afar first has none.
    package var hasRegistered: Bool
    /// Whether it is connected.
    package var isOnline: Bool
    /// The end of the time in which a factory reset is allowed.
    package var resetUntil: Instant?
    /// How the secret that the request gave compares: nil when it gave none.
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

/// Decides whether a request gets a device's identity.
package enum RegistrationRules {
    /// The decision.
    package enum Decision: Sendable, Equatable {
        /// Make a new identity.
        case create
        /// Give a new secret to the known identity.
        case renew(DeviceID)
        /// As `renew`, after ending the device's ownership period.
        case reset(DeviceID)
        /// Refuse, count the try, and notify special and owner when a device is named.
        case refuse(Rejection, asksForReset: DeviceID?)
    }

    /// How many wrong secrets one MAC has in `triesWindowSeconds`; the right one gets in at any time.
    ///
    /// A secret has 256 random bits, which no number of tries finds: the bound spares the owner the
    /// notifications about them.
    package static let triesMax = 5
    /// The window in which wrong tries count, in seconds.
    package static let triesWindowSeconds: Int64 = 900
    /// How long a reset stays allowed, in seconds.
    package static let resetWindowSeconds: Int64 = 900
    /// The longest that an operator may allow, in minutes.
    package static let resetMinutesMax: Int64 = 1440

    /// Decides about a request; `retryAfter` is set while the address has used up its tries.
    package static func decide(
        product: Product,
        isListed: Bool,
        known: KnownDevice?,
        retryAfter: Int64?,
        at now: Instant
    ) -> Decision {
        if product.registration == .listed, !isListed {
            return .refuse(
                Rejection(.notListed, "This MAC is not on the product's list."),
                asksForReset: nil
            )
        }
        guard let known else { return .create }
        guard known.isBound, known.hasRegistered else { return .renew(known.did) }
        // An end farther away was set by a clock that was set back since.
        let farthest = now.adding(seconds: resetMinutesMax * 60)
        if let until = known.resetUntil, until > now, until <= farthest {
            // A device with the right secret needs no reset: bindings and history stay.
            return known.hasRightSecret == true ? .renew(known.did) : .reset(known.did)
        }
        // The secret has 256 random bits: guessing is hopeless, so wrong tries of others never lock the device
        // out.
        if known.hasRightSecret == true { return .renew(known.did) }
        if let retryAfter {
            return .refuse(
                Rejection(
                    .tooManyRequests,
                    "Too many tries with a wrong secret for this MAC.",
                    retryAfter: retryAfter
                ),
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
