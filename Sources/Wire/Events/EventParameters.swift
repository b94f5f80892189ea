package import Domain
import JSON

/// A position in the event log, as named in a request.
package enum EventPlace: Sendable, Equatable {
    /// The position after all entries.
    case now
    /// The position before the oldest entry.
    case start
    /// The position after an entry.
    case behind(EventCursor)
    /// The position directly before the first entry at or after the given time.
    case since(Instant)
}

/// The states that an app or an operator can set for a webhook.
package enum SetState: String, CaseIterable {
    case on, paused
}

/// Functions that read the parameters of the service `events`.
extension Fields {
    /// Returns `after`, the position from which entries are read, or nil if the field is absent.
    package func eventsAfter() throws(Rejection) -> EventPlace? { try eventPlace("after") }

    /// Returns `from`, the position from which a new subscription gets entries.
    ///
    /// If the field is absent, the subscription gets only entries that are written after the request.
    package func eventsFrom() throws(Rejection) -> EventPlace { try eventPlace("from") ?? .now }

    /// Returns `cursor`, the subscription's new position, or nil if it is absent.
    package func eventsCursor() throws(Rejection) -> EventPlace? { try eventPlace("cursor", withTime: true) }

    /// Returns `cursor`, the position after the last entry that the app has handled.
    package func eventsHandled() throws(Rejection) -> EventCursor {
        guard case .behind(let cursor)? = try eventPlace("cursor") else {
            throw refuse("cursor", "must be a cursor of the event log")
        }
        return cursor
    }

    /// Returns `limit`, the maximum number of entries on a page, and `wait`, how many seconds to wait for an entry.
    package func eventPage() throws(Rejection) -> (limit: Int, wait: Int64) {
        (Int(try integer("limit", in: 1...1_000) ?? 100), try integer("wait", in: 0...50) ?? 0)
    }

    /// Returns `name`, the name of a subscription.
    package func subscriptionName() throws(Rejection) -> String { try requiredText("name", length: 1...64) }

    /// Refuses a request without `types`.
    package func requireTypes() throws(Rejection) { _ = try required("types", array("types")) }

    /// Refuses a request that has both `subscriptionId` and fields that the subscription already determines.
    package func refuseBesideSubscription() throws(Rejection) {
        guard !has("after"), !hasEventFilter else {
            throw refuse("subscriptionId", "can't be combined with after, types, productKeys and dids")
        }
    }

    /// Returns `state`, the new state of a subscription, or nil if the field is absent.
    package func subscriptionState() throws(Rejection) -> SetState? { try word("state", as: SetState.self) }

    /// Returns the required field `subscriptionId`.
    package func subscriptionID() throws(Rejection) -> SubscriptionID {
        try requiredID("subscriptionId", as: SubscriptionID.self)
    }

    /// Whether the request has the field `subscriptionId`.
    package var namesSubscription: Bool { has("subscriptionId") }

    /// Whether the request has the field `types`.
    package var namesTypes: Bool { has("types") }

    /// Returns the refusal of a field that needs a subscription with a webhook.
    package func noWebhook(at name: String) -> Rejection { refuse(name, "needs a subscription with a webhook") }

    /// Returns the position that a field names, or nil if the field is absent.
    ///
    /// A position is `now`, `start` or an entry's id. If `withTime` is true, a position can also be a time.
    private func eventPlace(_ name: String, withTime: Bool = false) throws(Rejection) -> EventPlace? {
        guard let value = object[name] else { return nil }
        if withTime, value.intValue != nil { return try instant(name).map { .since($0) } }
        switch value.stringValue {
        case "now": return .now
        case "start": return .start
        case let text?:
            if let cursor = EventCursor(text) { return .behind(cursor) }
            fallthrough
        case nil: throw refuse(name, "is not a cursor of the event log")
        }
    }

    /// Returns the filter that `types`, `productKeys` and `dids` describe; `isKnown` returns whether the app has a
    /// product.
    package func eventFilter(isKnown: (ProductKey) throws -> Bool) throws -> EventFilter {
        let names = try eventNames("types")
        guard names.allSatisfy({ !EventType.named($0).isEmpty }) else { throw refuse("types", "has an unknown type") }
        let products = try eventNames("productKeys").map { text in
            guard let key = ProductKey(text), try isKnown(key) else {
                throw refuse("productKeys", "contains a product that the app doesn't have")
            }
            return key
        }
        let dids = try eventNames("dids").map { text throws(Rejection) in
            guard let did = DeviceID(text) else { throw refuse("dids", "contains a string that is not a device's id") }
            return did
        }
        return EventFilter(names: names, products: products, dids: dids)
    }

    private func eventNames(_ name: String) throws(Rejection) -> [String] {
        let names = try texts(name)
        guard names.count <= EventFilter.namesMax else { throw refuse(name, "has more than \(EventFilter.namesMax)") }
        return names
    }

    private var hasEventFilter: Bool { has("types") || has("productKeys") || has("dids") }

    /// Returns `batch`, the maximum number of events in a batch, or nil if the field is absent.
    package func eventBatch() throws(Rejection) -> Int? {
        try integer("batch", in: 1...Int64(EventSubscription.eventsMax)).map { Int($0) }
    }

    /// Returns `url`, the URL of a webhook, or nil if the field is absent.
    package func webhookURL() throws(Rejection) -> String? { try text("url", length: 1...2_048) }
}

/// An encoder of event subscriptions for apps.
package enum EventSubscriptionCodec {
    /// Returns the answer to `events/subscribe` and `events/rotate`, with the `secret` that signs a webhook's batches.
    package static func made(_ id: SubscriptionID?, secret: String?) -> Answer {
        JSONObject([("subscriptionId", id.map { .string($0.text) }), ("secret", secret.map { .string($0) })])
    }

    /// Returns a row of `events/subscriptions`; `behind` is the age in seconds of the first event after the cursor.
    package static func row(_ subscription: EventSubscription, behind: Int64) -> AnswerRow {
        func texts(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .array(texts.map { .string($0) }) }
        let filter = subscription.filter
        return .object([
            "subscriptionId": .string(subscription.id.text), "name": .string(subscription.name),
            "types": .array(filter.names.map { .string($0) }), "productKeys": texts(filter.products.map(\.text)),
            "dids": texts(filter.dids.map(\.text)), "url": subscription.url.map { .string($0) },
            "batch": .integer(Int64(subscription.batch)), "state": .string(subscription.state.rawValue),
            "reason": subscription.reason.map { .string($0) }, "cursor": .string(subscription.cursor.text),
            "behind": .integer(behind), "tries": .integer(Int64(subscription.tries)),
            "failingSince": subscription.failingSince.map { .integer($0.milliseconds) },
            "lastOkAt": subscription.lastOkAt.map { .integer($0.milliseconds) },
            "lastError": subscription.lastError.map { .string($0) },
        ])
    }

    /// Returns the answer to `events/subscriptions`.
    package static func list(_ rows: [AnswerRow]) -> Answer { ["subscriptions": .array(rows)] }

    /// Returns the answer to `events/deliveries`.
    package static func deliveries(_ rows: [AnswerRow]) -> Answer { ["deliveries": .array(rows)] }
}
