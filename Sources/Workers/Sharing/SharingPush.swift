import Domain
import Storage
import Wire

/// Messages on `user/{uid}/share` that notify the inviter and the guest of an invitation's new state.
enum SharingPush {
    /// Logs an invitation's state, and notifies the inviter, and also the guest if the guest has an account.
    static func notify(_ sharing: Sharing, in work: inout UnitOfWork) throws {
        var apps: Set<AppID> = []
        for uid in Set([sharing.inviter, sharing.guest].compactMap(\.self)).sorted() {
            let payload = AnswerCodec.payload(row: try view(of: sharing, for: uid, in: work))
            work.effects.publish(OutboundMessage(work.topics.user(uid, "share"), payload))
            // If the inviter and the guest use different apps, the event log gets an entry for each of the two apps.
            let app = try work.tx.accounts.find(uid)?.app
            guard let app, apps.insert(app).inserted else { continue }
            let product = try work.tx.statuses.find(sharing.did)?.productKey
            let (did, now) = (sharing.did, work.now)
            work.effects.log(
                LoggedEvent(.shareChanged, at: now, did: did, product: product, uid: uid, app: app, data: payload)
            )
        }
    }

    /// Returns an invitation as the inviter or the guest sees it.
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
