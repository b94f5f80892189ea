import Domain
import Storage
import Wire

/// Messages on `user/{uid}/share` that notify both sides of an invitation's new state.
enum SharingPush {
    /// Notifies the inviter, and the guest if the guest has an account.
    static func notify(_ sharing: Sharing, in work: inout UnitOfWork) throws {
        for uid in Set([sharing.inviter, sharing.guest].compactMap(\.self)).sorted() {
            let row = try view(of: sharing, for: uid, in: work)
            work.effects.publish(OutboundMessage(work.topics.user(uid, "share"), AnswerCodec.payload(row: row)))
        }
    }

    /// Returns an invitation as one side sees it.
    static func view(of sharing: Sharing, for reader: UserID, in work: UnitOfWork) throws -> AnswerRow {
        let product = try work.tx.devices.find(sharing.did).flatMap { device in try work.product(device.productKey) }
        let sides: SharingCodec.Sides = (
            inviter: try work.tx.accounts.find(sharing.inviter),
            guest: try sharing.guest.flatMap { try work.tx.accounts.find($0) }
        )
        return SharingCodec.row(
            sharing,
            sides,
            for: reader,
            productName: product?.name,
            alias: try work.tx.bindings.find(sharing.did, sharing.inviter)?.alias,
            at: work.now
        )
    }
}
