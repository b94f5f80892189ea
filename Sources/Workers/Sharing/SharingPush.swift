import Domain
import JSON
import Storage
import Wire

/// Tells both sides of an invitation its new state, on `user/{uid}/share`.
enum SharingPush {
    /// Tells the inviter, and the guest if the guest has an account.
    static func notify(
        _ sharing: Sharing,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        for uid in Set([sharing.inviter, sharing.guest].compactMap(\.self)).sorted() {
            let object = try view(of: sharing, for: uid, in: tx)
            effects.publish(OutboundMessage(topics.user(uid, "share"), object.encoded()))
        }
    }

    /// Returns an invitation as one side sees it.
    static func view(
        of sharing: Sharing,
        for reader: UserID,
        in tx: Transaction
    ) throws -> JSONObject {
        let product = try tx.devices.find(sharing.did).flatMap { device in
            try tx.products.find(device.productKey)
        }
        let sides = SharingCodec.Sides(
            inviter: try tx.accounts.find(sharing.inviter),
            guest: try sharing.guest.flatMap { try tx.accounts.find($0) }
        )
        return SharingCodec.row(
            sharing,
            sides,
            for: reader,
            productName: product?.name,
            alias: try tx.bindings.find(sharing.did, sharing.inviter)?.alias,
            at: tx.now
        )
    }
}
