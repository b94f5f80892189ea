/// One entry of the event log: something that became true, for readers outside.
package struct LoggedEvent: Sendable, Equatable {
    /// The type.
    package var type: EventType
    /// The time of the transaction that made it true.
    package var ts: Instant
    /// The device that it concerns.
    package var did: DeviceID?
    /// The device's product.
    package var product: ProductKey?
    /// The user whom it concerns.
    package var uid: UserID?
    /// The actor, if the data doesn't belong to one.
    package var actor: Actor?
    /// The app of the users that it names; nil if it names none.
    package var app: AppID?
    /// The content as JSON, as it is pushed to users.
    package var data: [UInt8]

    /// Makes an entry.
    package init(
        _ type: EventType,
        at ts: Instant,
        did: DeviceID? = nil,
        product: ProductKey? = nil,
        uid: UserID? = nil,
        actor: Actor? = nil,
        app: AppID? = nil,
        data: [UInt8]
    ) {
        (self.type, self.ts, self.did, self.product) = (type, ts, did, product)
        (self.uid, self.actor, self.app, self.data) = (uid, actor, app, data)
    }

    /// Returns whether an app's readers see it: a device of the app's products, or a user of the app.
    package func isVisible(to app: App) -> Bool {
        guard !type.isOfUser, let product else { return self.app == app.id }
        return app.products.contains(product)
    }
}
