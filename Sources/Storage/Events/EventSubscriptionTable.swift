package import Domain
package import JSON

/// Readers of the event log that the store knows.
package struct EventSubscriptionTable: TransactionTable {
    let transaction: Transaction

    /// Returns a subscription, or nil.
    package func find(_ id: SubscriptionID) throws -> EventSubscription? {
        try sql.find(EventSubscription.table, id)
    }

    /// Returns an app's subscriptions, or those of all apps, oldest first.
    package func all(of app: AppID? = nil) throws -> [EventSubscription] {
        try sql.rows(
            of: EventSubscription.table,
            "WHERE $1 = '' OR appId = $1 ORDER BY createdAt, subscriptionId",
            app?.text ?? ""
        )
    }

    /// Returns the webhooks that are on.
    package func webhooks() throws -> [EventSubscription] {
        try sql.rows(of: EventSubscription.table, "WHERE url IS NOT NULL AND state = 'on' ORDER BY subscriptionId")
    }

    /// Returns whether a subscription wants statuses.
    package func wantStatuses() throws -> Bool {
        try sql.integer("SELECT 1 FROM eventSubscription WHERE bulk = 1 LIMIT 1") != nil
    }

    // A change of the catalog's number makes workers look again whether statuses are wanted.

    /// Adds a subscription.
    package func add(_ subscription: EventSubscription) throws {
        try sql.run(EventSubscription.table.insert, subscription)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Changes what its app or an operator sets: the types, the address, the secrets and the state.
    package func save(_ subscription: EventSubscription) throws {
        try sql.run(EventSubscription.table.update, subscription)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Removes a subscription; its webhook gets nothing more.
    package func remove(_ subscription: EventSubscription) throws {
        try sql.run("DELETE FROM eventSubscription WHERE subscriptionId = $1", subscription.id)
        try sql.run("DELETE FROM meta WHERE name = $1", Self.readerFact(subscription.id))
        try transaction.meta.raiseCatalogEpoch()
    }

    // MARK: Streams

    private static func readerFact(_ id: SubscriptionID) -> String { "eventReader.\(id.text)" }

    /// Makes a stream the reader of a subscription, in place of any other.
    package func open(_ id: SubscriptionID, by stream: String) throws {
        try transaction.meta.set(Self.readerFact(id), to: stream)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns the stream that was opened last for a subscription; nil if there was none.
    package func reader(of id: SubscriptionID) throws -> String? { try transaction.meta.value(Self.readerFact(id)) }

    // MARK: Progress

    /// Moves a cursor forward, unless it was moved since the subscription was read.
    package func acknowledge(_ subscription: EventSubscription, upTo cursor: EventCursor) throws {
        try sql.run(
            "UPDATE eventSubscription SET cursor = $1 WHERE subscriptionId = $2 AND cursor = $3",
            cursor.text,
            subscription.id,
            subscription.cursor.text
        )
    }

    /// Moves a cursor and notes the outcome of a delivery, unless the subscription was paused, moved or changed since it
    /// was read.
    ///
    /// - Returns: Whether it was still as read.
    package func advance(_ subscription: EventSubscription, from cursor: EventCursor) throws -> Bool {
        try sql.run(
            """
            UPDATE eventSubscription SET cursor = $1, tries = $2, dueAt = $3, failingSince = $4, lastOkAt = $5,
                lastError = $6 WHERE subscriptionId = $7 AND cursor = $8 AND state = 'on'
            """,
            subscription.cursor.text,
            subscription.tries,
            subscription.dueAt,
            subscription.failingSince,
            subscription.lastOkAt,
            subscription.lastError,
            subscription.id,
            cursor.text
        )
        return try sql.changes == 1
    }

    /// Returns the last tries of a webhook, newest first.
    package func deliveries(of id: SubscriptionID) throws -> [EventDelivery] {
        let text: String? = try sql.value("SELECT deliveries FROM eventSubscription WHERE subscriptionId = $1", id)
        let rows = text.flatMap { try? JSONValue.parse(Array($0.utf8)).arrayValue } ?? []
        return rows.compactMap { EventDelivery(stored: $0) }
    }

    /// Adds a try of a webhook in front of its last ones.
    package func note(_ delivery: EventDelivery, of id: SubscriptionID) throws {
        let all = try [delivery] + deliveries(of: id)
        let rows = all.prefix(EventDelivery.keptMax).map(\.stored)
        try sql.run(
            "UPDATE eventSubscription SET deliveries = $1 WHERE subscriptionId = $2",
            JSONValue.array(rows),
            id
        )
    }
}

extension EventSubscription: TableRow {
    package static let table = Table<EventSubscription>("eventSubscription")

    package static func map(_ column: inout ColumnMapper<EventSubscription>) -> EventSubscription {
        let id = column("subscriptionId", \.id, as: .key)
        let (app, key) = (column("appId", \.app), column("keyId", \.key))
        let name = column("name", \.name)
        let names = column("types", { $0.filter.names.joined(separator: " ") }, as: .changing)
        let products = column("productKeys", { $0.filter.products.map(\.text).joined(separator: " ") }, as: .changing)
        let dids = column("dids", { $0.filter.dids.map(\.text).joined(separator: " ") }, as: .changing)
        _ = column("bulk", \.filter.wantsStatuses, as: .changing)
        let url = column("url", \.url, as: .changing)
        let batch = column("batch", \.batch, as: .changing)
        let secret = column.sealed("secret", \.secret, as: .changing)
        let oldSecret = column.sealed("oldSecret", \.oldSecret, as: .changing)
        let oldSecretUntil = column("oldSecretUntil", \.oldSecretUntil, as: .changing)
        let cursor = column("cursor", \.cursor.text, as: .changing)
        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        var subscription = EventSubscription(
            id: id,
            app: app,
            key: key,
            name: name,
            filter: EventFilter(
                names: words(names),
                products: words(products).map { ProductKey(trusted: $0) },
                dids: words(dids).map { DeviceID(trusted: $0) }
            ),
            url: url,
            batch: batch,
            secret: secret,
            cursor: EventCursor(cursor) ?? .start,
            createdAt: Instant(milliseconds: 0)
        )
        (subscription.oldSecret, subscription.oldSecretUntil) = (oldSecret, oldSecretUntil)
        subscription.state = column("state", \.state, as: .changing)
        subscription.reason = column("reason", \.reason, as: .changing)
        subscription.tries = column("tries", \.tries, as: .changing)
        subscription.dueAt = column("dueAt", \.dueAt, as: .changing)
        subscription.failingSince = column("failingSince", \.failingSince, as: .changing)
        subscription.lastOkAt = column("lastOkAt", \.lastOkAt, as: .changing)
        subscription.lastError = column("lastError", \.lastError, as: .changing)
        subscription.createdAt = column("createdAt", \.createdAt)
        return subscription
    }
}

extension EventDelivery {
    /// Reads a stored try.
    fileprivate init?(stored value: JSONValue) {
        guard let object = value.objectValue, let at = object["at"]?.intValue else { return nil }
        self.init(
            at: Instant(milliseconds: at),
            webhookID: object["webhookId"]?.stringValue ?? "",
            events: Int(object["events"]?.intValue ?? 0),
            status: object["status"]?.intValue.map { Int($0) },
            milliseconds: object["ms"]?.intValue ?? 0,
            error: object["error"]?.stringValue
        )
    }

    /// The try as JSON, as it is stored and shown.
    package var stored: JSONValue {
        .object([
            "at": .integer(at.milliseconds), "webhookId": .string(webhookID), "events": .integer(Int64(events)),
            "status": status.map { .integer(Int64($0)) }, "ms": .integer(milliseconds),
            "error": error.map { .string($0) },
        ])
    }
}
