package import Domain
package import JSON

/// An encoder of a user's devices, and of the messages about them (`schemas/methods/device.schema.json`).
package enum BindingCodec {
    /// Returns a row of `device/list`.
    package static func row(
        _ binding: Binding,
        productKey: ProductKey,
        mac: MAC,
        productName: String,
        isOnline: Bool,
        home: HomeID?
    ) -> JSONValue {
        JSONObject(showing: [
            "did": binding.did, "productKey": productKey, "mac": mac, "productName": productName,
            "alias": binding.alias, "remark": binding.remark, "role": binding.role.rawValue,
            "access": binding.access.rawValue, "online": isOnline, "subscribed": binding.isSubscribed,
            "boundAt": binding.boundAt, "guestUntil": binding.guestUntil, "homeId": home,
        ]).shown
    }

    /// Returns a row of `device/users`, with the address and the username masked.
    package static func user(_ binding: Binding, nickname: String, address: String?, username: String?) -> JSONValue {
        JSONObject(showing: [
            "uid": binding.uid, "nickname": nickname, "address": address.map { MaskedAddress.text($0) },
            "username": username.map { MaskedAddress.name($0) }, "role": binding.role.rawValue,
            "access": binding.access.rawValue, "boundAt": binding.boundAt, "guestUntil": binding.guestUntil,
        ]).shown
    }

    /// Returns the answer to `device/list`.
    package static func page(_ rows: [AnswerRow], total: Int64, next: Int64?) -> Answer {
        ["devices": .array(rows), "total": .integer(total), "cursor": next.map { .string("\($0)") }]
    }

    /// Returns the answer to `device/bind` and `device/bindRemote`.
    package static func bound(_ did: DeviceID) -> Answer { ["did": .string(did.text)] }

    /// Returns the answer to `device/allowReset`.
    package static func resetAllowed(until: Instant) -> Answer { ["expiresAt": .integer(until.milliseconds)] }

    /// Returns the answer to `device/hardware`, with the product added if the device did not name it.
    package static func hardware(_ hardware: JSONObject, productKey: ProductKey) -> Answer {
        var named = hardware
        if named["productKey"] == nil { named["productKey"] = .string(productKey.text) }
        return ["hardware": .object(named)]
    }

    /// A change that concerns a user's device.
    package enum Change: Sendable {
        /// The user was bound.
        case bound
        /// The user's own data about the device changed: name, note, home or subscription.
        case changed
        /// The user's binding ended.
        case unbound(UnbindReason)
        /// The user's role changed.
        case roleChanged(Binding.Role)
        /// Another user was bound to the device, or another user's binding ended.
        case usersChanged
        /// The device requested a factory reset.
        case resetRequested

        fileprivate var members: [(String, JSONValue?)] {
            switch self {
            case .bound: [("type", "bound")]
            case .changed: [("type", "changed")]
            case .unbound(let reason):
                [("type", "unbound"), ("reason", .string(reason.rawValue))]
            case .roleChanged(let role):
                [("type", "roleChanged"), ("role", .string(role.rawValue))]
            case .usersChanged: [("type", "usersChanged")]
            case .resetRequested: [("type", "resetRequested")]
            }
        }
    }

    /// Encodes a message on `user/{uid}/device`, with the device's row if `device` is given.
    package static func push(
        _ change: Change,
        of did: DeviceID,
        device: AnswerRow? = nil,
        at now: Instant,
        actor: Actor,
        for reader: UserID
    ) -> [UInt8] {
        let members = change.members
        return JSONObject(
            [members[0], ("did", .string(did.text))] + members.dropFirst() + [
                ("device", device), ("ts", .integer(now.milliseconds)),
                ("actor", EventCodec.encode(actor, for: reader)),
            ]
        ).encoded()
    }
}
