package import Domain
import Sodium
package import Storage
package import Wire

/// The methods `events/…`, which only callers with an API key may use.
enum EventMethods {
    static let all: [String: Method] = [
        "events/read": EventReading.method,
        "events/subscribe": Method(run: subscribe),
        "events/ack": Method(run: acknowledge),
        "events/update": Method(run: update),
        "events/subscriptions": Method(isReading: true, run: list),
        "events/rotate": Method(run: rotate),
        "events/unsubscribe": Method(run: unsubscribe),
        "events/deliveries": Method(isReading: true, run: deliveries),
    ]

    // MARK: Subscriptions

    @Sendable
    private static func subscribe(_ call: inout Call) throws -> Reply {
        let (key, fields) = (try call.eventsKey(), call.fields)
        let name = try fields.subscriptionName()
        try fields.requireTypes()
        let filter = try call.eventFilter()
        let url = try call.webhookURL()
        let batch = try fields.eventBatch() ?? EventSubscription.eventsMax
        let cursor = try call.cursor(at: fields.eventsFrom())
        let most = EventSubscription.perAppMax
        guard try call.tx.eventSubscriptions.all(of: call.app.id).count < most else {
            throw Rejection(.forbidden, "The limit of \(most) subscriptions of an app is reached.")
        }
        let subscription = EventSubscription(
            id: SubscriptionID(trusted: call.work.makeID("v")),
            app: call.app.id,
            key: key.id.text,
            name: name,
            filter: filter,
            url: url,
            batch: batch,
            secret: url.map { _ in Sodium.randomBytes(EventSubscription.secretBytes) },
            cursor: cursor,
            createdAt: call.tx.now
        )
        try call.tx.eventSubscriptions.add(subscription)
        let secret = subscription.secret.map(secretText)
        return .result(EventSubscriptionCodec.made(subscription.id, secret: secret), isSecret: secret != nil)
    }

    @Sendable
    private static func acknowledge(_ call: inout Call) throws -> Reply {
        let subscription = try call.subscription()
        let cursor = try call.fields.eventsHandled()
        if cursor > subscription.cursor { try call.tx.eventSubscriptions.acknowledge(subscription, upTo: cursor) }
        return .done
    }

    @Sendable
    private static func update(_ call: inout Call) throws -> Reply {
        var subscription = try call.subscription(isLocked: true)
        let fields = call.fields
        if fields.namesTypes {
            let types = try call.eventFilter().names
            let filter = subscription.filter
            subscription.filter = EventFilter(names: types, products: filter.products, dids: filter.dids)
        }
        if let url = try call.webhookURL() {
            guard subscription.url != nil else { throw fields.noWebhook(at: "url") }
            subscription.url = url
        }
        if let batch = try fields.eventBatch() { subscription.batch = batch }
        if let state = try fields.subscriptionState() { subscription.set(state) }
        if let place = try fields.eventsCursor() { subscription.cursor = try call.cursor(at: place) }
        try call.tx.eventSubscriptions.save(subscription)
        return .done
    }

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        _ = try call.eventsKey()
        let rows = try call.tx.eventSubscriptions.all(of: call.app.id).map { subscription in
            EventSubscriptionCodec.row(subscription, behind: try subscription.behind(in: call.tx))
        }
        return .result(EventSubscriptionCodec.list(rows))
    }

    @Sendable
    private static func rotate(_ call: inout Call) throws -> Reply {
        var subscription = try call.subscription(isLocked: true)
        guard subscription.url != nil else { throw call.fields.noWebhook(at: "subscriptionId") }
        let secret = Sodium.randomBytes(EventSubscription.secretBytes)
        subscription.oldSecret = subscription.secret
        subscription.oldSecretUntil = call.tx.now.adding(seconds: EventSubscription.oldSecretSeconds)
        subscription.secret = secret
        try call.tx.eventSubscriptions.save(subscription)
        return .result(EventSubscriptionCodec.made(nil, secret: secretText(secret)), isSecret: true)
    }

    @Sendable
    private static func unsubscribe(_ call: inout Call) throws -> Reply {
        try call.tx.eventSubscriptions.remove(try call.subscription())
        return .done
    }

    @Sendable
    private static func deliveries(_ call: inout Call) throws -> Reply {
        let rows = try call.tx.eventSubscriptions.deliveries(of: try call.subscription().id)
        return .result(EventSubscriptionCodec.deliveries(AnswerRows.fitting(rows, row: \.stored)))
    }

    /// Returns a secret in the form that Standard Webhooks specifies.
    private static func secretText(_ secret: [UInt8]) -> String { "whsec_" + Sodium.base64(secret) }
}

extension EventSubscription {
    /// Pauses deliveries, or resumes them at the subscription's cursor.
    package mutating func set(_ state: SetState) {
        self.state = state == .on ? .on : .paused
        (reason, tries, dueAt, failingSince) = (nil, 0, nil, nil)
    }

    /// The lag in seconds above which operators are warned.
    package static let behindMax: Int64 = 300

    /// Returns the age in seconds of the next event for this subscription, or 0 if no event is waiting.
    ///
    /// The search reads a limited number of entries. If none of them is for this subscription and the log has more
    /// entries, the result is the age of the first entry that the search didn't read.
    package func behind(in tx: Transaction) throws -> Int64 {
        guard let app = try tx.apps.find(app) else { return 0 }
        let (reader, withBulk) = (EventReader(app: app, filter: filter), filter.wantsStatuses)
        var next: Instant?
        let (end, isMore) = try tx.eventLog.read(after: cursor, withBulk: withBulk) { event, _ in
            if reader.accepts(event) { next = event.ts }
            return next == nil
        }
        if next == nil, isMore { next = try tx.eventLog.nextTime(after: end, withBulk: withBulk) }
        return next.map { max(0, (tx.now.milliseconds - $0.milliseconds) / 1000) } ?? 0
    }
}

extension Call {
    /// Returns the request's API key; the methods `events/…` require a key.
    func eventsKey() throws(Rejection) -> APIKey {
        guard let key else { throw Rejection(.forbidden, "Events are for API keys only.") }
        return key
    }

    /// Returns the filter of the events that the request wants.
    func eventFilter() throws -> EventFilter { try fields.eventFilter { try product(of: $0) != nil } }

    /// Checks and returns the field `url`, or returns nil if the field is absent.
    func webhookURL() throws(Rejection) -> String? {
        guard let url = try fields.webhookURL() else { return nil }
        return try environment.outbound.check(url, field: "params.url").text
    }

    /// Returns the subscription that the request names, and locks it if `isLocked` is true.
    func subscription(isLocked: Bool = false) throws -> EventSubscription {
        _ = try eventsKey()
        let id = try fields.subscriptionID()
        if isLocked { try tx.eventSubscriptions.lock(id) }
        return try tx.subscription(id, of: app, field: "params.subscriptionId")
    }

    /// Returns the cursor of an event-log position that a request names.
    func cursor(at place: EventPlace) throws -> EventCursor { try tx.eventLog.cursor(at: place) }
}

extension Transaction {
    /// Returns the app's subscription that a request names in a field.
    func subscription(_ id: SubscriptionID, of app: App, field: String) throws -> EventSubscription {
        guard let subscription = try eventSubscriptions.find(id), subscription.app == app.id else {
            throw Rejection(.resourceNotFound, "The app has no such subscription.", field: field)
        }
        return subscription
    }
}

extension EventLogTable {
    /// Returns the cursor of an event-log position that a request or an operator names.
    package func cursor(at place: EventPlace) throws -> EventCursor {
        switch place {
        case .now: try end()
        case .start: .start
        case .behind(let cursor): cursor
        case .since(let moment): try end(before: moment)
        }
    }
}
