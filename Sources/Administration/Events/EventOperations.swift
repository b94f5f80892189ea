import Domain
import JSON
import Storage
import Web
import Wire
import Workers

/// The operations on the event log and the subscriptions to it.
enum EventOperations {
    static let all: [Operation] = [
        Operation("listSubscriptions", "GET", "eventSubscriptions", role: .viewer, list),
        Operation("listDeliveries", "GET", "eventSubscriptions/{subscriptionId}/deliveries", role: .viewer) { call in
            let id = try call.id("subscriptionId", MessageKind.self)
            return Shown.page(
                try call.read { try $0.eventSubscriptions.deliveries(of: id) }.compactMap(\.stored.objectValue)
            )
        }, Operation("changeSubscription", "PATCH", "eventSubscriptions/{subscriptionId}", role: .operator, change),
        Operation("readEvents", "GET", "events", role: .operator, read),
    ]

    /// The maximum size of a page of entries, in bytes.
    private static let bytesMax = 1 << 20

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let app = try call.request.query["appId"].map { try id(of: $0) }
        let now = call.now
        return Shown.page(
            try call.store.read(at: now) { tx in
                try tx.eventSubscriptions.all(of: app).map { try row($0, in: tx) }
            }
        )
    }

    private static func id(of text: String) throws -> AppID {
        guard let app = AppID(text) else { throw Refused.invalid("appId", "This is not an app's id.") }
        return app
    }

    private static func row(_ subscription: EventSubscription, in tx: Transaction) throws -> JSONObject {
        let row = EventSubscriptionCodec.row(subscription, behind: try subscription.behind(in: tx)).objectValue ?? [:]
        return JSONObject(showing: ["appId": subscription.app, "keyId": subscription.key]).adding(
            row.members.map { ($0.key, $0.value) }
        )
    }

    /// Pauses or resumes a subscription, or moves its cursor.
    private static func change(_ call: OperationCall) throws -> JSONObject {
        let id = try call.id("subscriptionId", MessageKind.self)
        let state = try call.fields.subscriptionState()
        let place = try call.fields.eventsCursor()
        return try call.act { work, act in
            guard var subscription = try work.tx.eventSubscriptions.find(id) else {
                throw Refused.notFound("subscription", id.text)
            }
            act.subject = "subscription \(id)"
            act.app = subscription.app
            act.before = .object(try row(subscription, in: work.tx))
            if let state { subscription.set(state) }
            if let place { subscription.cursor = try work.tx.eventLog.cursor(at: place) }
            try work.tx.eventSubscriptions.save(subscription)
            let row = try row(subscription, in: work.tx)
            act.after = .object(row)
            return row
        }
    }

    /// Returns entries of the event log as an app's subscriber gets them, with the cursor from which to continue.
    private static func read(_ call: OperationCall) throws -> JSONObject {
        let query = call.request.query
        let app = try id(of: query["appId"] ?? "")
        let names = query["types"]?.split(separator: ",").map(String.init) ?? []
        guard names.allSatisfy({ !EventType.named($0).isEmpty }) else {
            throw Refused.invalid("types", "There is no such type of event.")
        }
        let place = try Fields(JSONObject([("after", query["after"].map { .string($0) })])).eventsAfter()
        let limit = try call.limit()
        return try call.store.read(at: call.now) { tx in
            guard let app = try tx.apps.find(app) else { throw Refused.notFound("app", app.text) }
            let reader = EventReader(app: app, filter: EventFilter(names: names))
            let page = try reader.read(
                after: tx.eventLog.cursor(at: place ?? .start),
                limit: limit,
                bytesMax: bytesMax,
                in: tx
            )
            return Shown.page(page.events.compactMap { try? JSONValue.parse($0.json).objectValue }).adding([
                ("cursor", .string(page.cursor.text)), ("more", .bool(page.isMore)),
            ])
        }
    }
}
