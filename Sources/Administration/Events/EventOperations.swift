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
            let deliveries = try call.read { try $0.eventSubscriptions.deliveries(of: id) }
            return Shown.page(deliveries.compactMap(\.stored.objectValue))
        }, Operation("changeSubscription", "PATCH", "eventSubscriptions/{subscriptionId}", role: .operator, change),
        Operation("readEvents", "GET", "events", role: .operator, read),
    ]

    /// The maximum size of a page of entries, in bytes.
    private static let bytesMax = 1 << 20

    private static func list(_ call: OperationCall) throws -> JSONObject {
        let app = try KeyOperations.wantedApp(call)
        return try call.read { tx in
            Shown.page(try tx.eventSubscriptions.all(of: app).map { try row($0, in: tx) })
        }
    }

    private static func row(_ subscription: EventSubscription, in tx: Transaction) throws -> JSONObject {
        let row = EventSubscriptionCodec.row(subscription, behind: try subscription.behind(in: tx)).objectValue ?? [:]
        let owner = JSONObject(showing: ["appId": subscription.app, "keyId": subscription.key])
        return JSONObject(members: owner.members + row.members)
    }

    private static func change(_ call: OperationCall) throws -> JSONObject {
        let id = try call.id("subscriptionId", MessageKind.self)
        let state = try call.fields.subscriptionState()
        let place = try call.fields.eventsCursor()
        return try call.act { work, act in
            try work.tx.eventSubscriptions.lock(id)
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

    /// Returns entries of the event log in the form that subscribers get, and the cursor for the next entries.
    private static func read(_ call: OperationCall) throws -> JSONObject {
        let query = call.request.query
        let app = try KeyOperations.id(of: query["appId"] ?? "")
        let names = query["types"]?.split(separator: ",").map(String.init) ?? []
        guard names.allSatisfy({ !EventType.named($0).isEmpty }) else {
            throw Refused.invalid("types", "There is no such type of event.")
        }
        let place = try Fields(JSONObject([("after", query["after"].map { .string($0) })])).eventsAfter()
        let limit = try call.limit()
        return try call.read { tx in
            guard let app = try tx.apps.find(app) else { throw Refused.notFound("app", app.text) }
            let reader = EventReader(app: app, filter: EventFilter(names: names))
            let start = try tx.eventLog.cursor(at: place ?? .start)
            let page = try reader.read(after: start, limit: limit, bytesMax: bytesMax, in: tx)
            return Shown.page(page.events.compactMap { try? JSONValue.parse($0.json).objectValue }).adding([
                ("cursor", .string(page.cursor.text)), ("more", .bool(page.isMore)),
            ])
        }
    }
}
