/// A stored subscription to the event log: a cursor, or a webhook with a URL.
package struct EventSubscription: Sendable, Equatable {
    /// The state of a webhook, which decides whether the service posts events to it.
    package enum State: String, Sendable, CaseIterable {
        /// The service posts events.
        case on
        /// The app or an operator has paused the webhook.
        case paused
        /// The service disabled the webhook, because the endpoint failed for too long or refused all further events.
        case disabled
    }

    /// The subscription's id.
    package var id: SubscriptionID
    /// The app to which the subscription belongs; the events concern this app's devices and users.
    package var app: AppID
    /// The API key with which the subscription was made, or nil if an operator made it.
    package var key: String?
    /// The subscription's name, which the app or the operator chose.
    package var name: String
    /// The filter that selects the subscription's events.
    package var filter: EventFilter
    /// The URL to which the service posts events, or nil for a cursor.
    package var url: String?
    /// The maximum number of events in one batch of this subscription.
    package var batch: Int
    /// The secret with which a webhook's batches are signed.
    package var secret: [UInt8]?
    /// The webhook's secret before the last rotation of the secret.
    ///
    /// For a day after the rotation, batches are signed with both secrets.
    package var oldSecret: [UInt8]?
    /// The moment from which batches are no longer signed with the old secret.
    package var oldSecretUntil: Instant?
    /// The position in the event log after the last event that was delivered or acknowledged.
    package var cursor: EventCursor
    /// Whether the service posts events to the webhook.
    package var state = State.on
    /// The reason why the service disabled the webhook.
    package var reason: String?
    /// The number of failed attempts to deliver the current batch.
    package var tries = 0
    /// The time of the next try after a failure, or nil if the next try needn't wait.
    package var dueAt: Instant?
    /// The time of the first failure since the last success.
    package var failingSince: Instant?
    /// The time of the last success.
    package var lastOkAt: Instant?
    /// A description of the last failure.
    package var lastError: String?
    /// The time at which the subscription was made.
    package var createdAt: Instant

    /// Makes a new subscription.
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
        self.id = id
        self.app = app
        self.key = key
        self.name = name
        self.filter = filter
        self.url = url
        self.batch = batch
        self.secret = secret
        self.cursor = cursor
        self.createdAt = createdAt
    }

    /// The maximum number of subscriptions of an app.
    package static let perAppMax = 20
    /// The maximum number of events in a batch of any subscription.
    package static let eventsMax = 100
    /// The length of a webhook's secret, in bytes.
    package static let secretBytes = 32
    /// How long batches are also signed with the old secret, in seconds.
    package static let oldSecretSeconds: Int64 = 86_400
}

/// The id that the service gives to an event subscription.
package typealias SubscriptionID = Identifier<MessageKind>

/// An attempt to deliver a batch of events to a webhook.
package struct EventDelivery: Sendable, Equatable {
    /// The time at which the try began.
    package var at: Instant
    /// The id of the batch, which stays the same if the same content is sent again.
    package var webhookID: String
    /// The number of events in the batch.
    package var events: Int
    /// The HTTP status; nil if the endpoint didn't answer.
    package var status: Int?
    /// The duration of the try, in milliseconds.
    package var milliseconds: Int64
    /// A description of the failure; nil if the try succeeded.
    package var error: String?

    /// Makes a record of a try.
    package init(at: Instant, webhookID: String, events: Int, status: Int?, milliseconds: Int64, error: String?) {
        self.at = at
        self.webhookID = webhookID
        self.events = events
        self.status = status
        self.milliseconds = milliseconds
        self.error = error
    }

    /// The maximum number of tries that are kept for each subscription.
    package static let keptMax = 200
}
