/// A reader of the event log that the store knows: how far it has read, and, for a webhook, where its events go.
package struct EventSubscription: Sendable, Equatable {
    /// Whether a webhook is called.
    package enum State: String, Sendable, CaseIterable {
        /// Events are sent.
        case on
        /// The app or an operator has stopped it.
        case paused
        /// The service has stopped it, because its endpoint failed for too long or wants no more.
        case disabled
    }

    /// The id.
    package var id: SubscriptionID
    /// The app whose devices and users it sees.
    package var app: AppID
    /// The key that made it; nil for an operator.
    package var key: String?
    /// The name, which is the app's own.
    package var name: String
    /// The wanted events.
    package var filter: EventFilter
    /// The address that events are sent to; nil for a stored cursor.
    package var url: String?
    /// The most events of one batch.
    package var batch: Int
    /// The secret with which a webhook's batches are signed.
    package var secret: [UInt8]?
    /// The secret before the last rotation, and how long it signs too.
    package var oldSecret: [UInt8]?
    /// The moment at which the old secret ends.
    package var oldSecretUntil: Instant?
    /// The place behind the last event that was delivered or acknowledged.
    package var cursor: EventCursor
    /// Whether events are sent.
    package var state = State.on
    /// The reason why the service disabled it.
    package var reason: String?
    /// The number of tries of the batch under way that failed.
    package var tries = 0
    /// The moment of the next try; nil if there is nothing to wait for.
    package var dueAt: Instant?
    /// The time of the first failure since the last success.
    package var failingSince: Instant?
    /// The time of the last success.
    package var lastOkAt: Instant?
    /// The last failure, in words.
    package var lastError: String?
    /// When it was made.
    package var createdAt: Instant

    /// Describes a new subscription.
    package init(
        id: SubscriptionID,
        app: AppID,
        key: String?,
        name: String,
        filter: EventFilter,
        url: String?,
        batch: Int,
        secret: [UInt8]?,
        cursor: EventCursor,
        createdAt: Instant
    ) {
        (self.id, self.app, self.key, self.name, self.filter) = (id, app, key, name, filter)
        (self.url, self.batch, self.secret, self.cursor, self.createdAt) = (url, batch, secret, cursor, createdAt)
    }

    /// The most subscriptions of an app.
    package static let perAppMax = 20
    /// The most events of one batch.
    package static let eventsMax = 100
    /// The bytes of a webhook's secret.
    package static let secretBytes = 32
    /// How long the secret before a rotation signs too, in seconds.
    package static let oldSecretSeconds: Int64 = 86_400
}

/// The id of an event subscription, made by the service.
package typealias SubscriptionID = Identifier<MessageKind>

/// One try to deliver a batch to a webhook.
package struct EventDelivery: Sendable, Equatable {
    /// When it began.
    package var at: Instant
    /// The id of the batch, the same for each try of the same content.
    package var webhookID: String
    /// The number of events.
    package var events: Int
    /// The HTTP status; nil without an answer.
    package var status: Int?
    /// How long it took, in milliseconds.
    package var milliseconds: Int64
    /// The failure in words; nil for a success.
    package var error: String?

    /// Describes a try.
    package init(at: Instant, webhookID: String, events: Int, status: Int?, milliseconds: Int64, error: String?) {
        (self.at, self.webhookID, self.events) = (at, webhookID, events)
        (self.status, self.milliseconds, self.error) = (status, milliseconds, error)
    }

    /// The most tries of a subscription that are kept.
    package static let keptMax = 200
}
