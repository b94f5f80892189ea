import Domain
import JSON
import Storage
import Wire

/// Tells users of a change of one of their devices, on `user/{uid}/device`.
struct DevicePush {
    private let did: DeviceID
    private let actor: Actor
    private let topics: Topics
    private let tx: Transaction

    init(_ did: DeviceID, _ actor: Actor, _ topics: Topics, _ tx: Transaction) {
        self.did = did
        self.actor = actor
        self.topics = topics
        self.tx = tx
    }

    /// Tells a user of a change, with its time and actor.
    func notify(
        _ type: StaticString,
        _ uid: UserID,
        _ more: [(String, JSONValue?)] = [],
        effects: inout Effects
    ) {
        let rest: [(String, JSONValue?)] = [
            ("ts", .integer(tx.now.milliseconds)), ("actor", EventCodec.encode(actor, for: uid)),
        ]
        let payload = BindingCodec.push(type, did, more + rest)
        effects.publish(OutboundMessage(topics.user(uid, "device"), payload))
    }

    /// Tells a user of a change, with the new state of the device.
    func notifyWithDevice(
        _ type: StaticString,
        _ uid: UserID,
        _ more: [(String, JSONValue?)] = [],
        effects: inout Effects
    ) throws {
        guard let row = try tx.bindings.listed(did, uid) else { return }
        let device = BindingCodec.row(
            row.binding,
            productKey: row.productKey,
            mac: row.mac,
            productName: try tx.products.find(row.productKey)?.name ?? "",
            isOnline: row.isOnline,
            home: row.home
        )
        notify(type, uid, more + [("device", device)], effects: &effects)
    }
}
