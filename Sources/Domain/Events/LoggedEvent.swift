/// An entry of the event log, which records a change for readers outside the service.
package struct LoggedEvent: Sendable, Equatable {
    /// The entry's type.
    package var type: EventType
    /// The time of the transaction that made the change.
    package var ts: Instant
    /// The device that the entry concerns.
    package var did: DeviceID?
    /// The device's product.
    package var product: ProductKey?
    /// The user whom the entry concerns.
    package var uid: UserID?
    /// The actor that caused the change, or nil if the actor is unknown or is a user of a different app than `app`.
    package var actor: Actor?
    /// The app of the users whom the entry names, if any.
    package var app: AppID?
    /// The content as JSON, whose members depend on the entry's type.
    ///
    /// For most types, the content equals the message that the service publishes to users about the change.
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
        self.type = type
        self.ts = ts
        self.did = did
        self.product = product
        self.uid = uid
        self.actor = actor
        self.app = app
        self.data = data
    }

    /// Returns whether the entry concerns the app's users, or devices of the app's products.
    package func isVisible(to app: App) -> Bool {
        guard !type.isOfUser, let product else { return self.app == app.id }
        return app.products.contains(product)
    }
}
