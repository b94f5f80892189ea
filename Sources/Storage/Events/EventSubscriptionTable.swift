package import Domain
package import JSON

/// The subscriptions to the event log.
package struct EventSubscriptionTable: TransactionTable {
    let transaction: Transaction

    /// Returns a subscription; nil if there is no such subscription.
    package func find(_ id: SubscriptionID) throws -> EventSubscription? {
        try sql.find(EventSubscription.table, id)
    }

    /// Locks a subscription and its cursor against other processes until the transaction ends.
    package func lock(_ id: SubscriptionID) throws {
        guard sql.hasOtherWriters else { return }
        try sql.run("SELECT 1 FROM eventSubscription WHERE subscriptionId = $1 FOR UPDATE", id)
    }

    /// Returns the subscriptions of one app or of all apps, the oldest first.
    package func all(of app: AppID? = nil) throws -> [EventSubscription] {
        try sql.rows(
            of: EventSubscription.table,
            "WHERE $1 = '' OR appId = $1 ORDER BY createdAt, subscriptionId",
            app?.text ?? ""
        )
    }

    /// Returns the subscriptions whose webhooks are switched on.
    package func webhooks() throws -> [EventSubscription] {
        try sql.rows(of: EventSubscription.table, "WHERE url IS NOT NULL AND state = 'on' ORDER BY subscriptionId")
    }

    /// Returns whether any subscription includes statuses.
    package func wantStatuses() throws -> Bool {
        try sql.integer("SELECT 1 FROM eventSubscription WHERE bulk = 1 LIMIT 1") != nil
    }

    // Adding, changing or removing a subscription raises the catalog's number (`MetaTable.catalogEpoch`). Workers then
    // check again whether statuses are wanted.

    /// Adds a subscription.
    package func add(_ subscription: EventSubscription) throws {
        try sql.run(EventSubscription.table.insert, subscription)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Stores all changeable fields of a locked subscription, including its cursor.
    package func save(_ subscription: EventSubscription) throws {
        try sql.run(EventSubscription.table.update, subscription)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Removes a subscription; its webhook gets no more events.
    package func remove(_ subscription: EventSubscription) throws {
        try sql.run("DELETE FROM eventSubscription WHERE subscriptionId = $1", subscription.id)
        try sql.run("DELETE FROM meta WHERE name = $1", Self.readerFact(subscription.id))
        try transaction.meta.raiseCatalogEpoch()
    }

    // MARK: Streams

    private static func readerFact(_ id: SubscriptionID) -> String { "eventReader.\(id.text)" }

    /// Stores that a stream now reads a subscription, in place of any stream that read the subscription before.
    package func open(_ id: SubscriptionID, by stream: String) throws {
        try transaction.meta.set(Self.readerFact(id), to: stream)
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns the stream that was last opened for a subscription, or nil.
    package func reader(of id: SubscriptionID) throws -> String? { try transaction.meta.value(Self.readerFact(id)) }

    // MARK: Progress

    /// Moves a subscription's cursor forward, unless the cursor has been moved since the subscription was read.
    package func acknowledge(_ subscription: EventSubscription, upTo cursor: EventCursor) throws {
        try sql.run(
            "UPDATE eventSubscription SET cursor = $1 WHERE subscriptionId = $2 AND cursor = $3",
            cursor.text,
            subscription.id,
            subscription.cursor.text
        )
    }

    /// Stores a delivery's outcome and the subscription's new cursor, and returns whether they were stored.
    ///
    /// Nothing is stored if the subscription is off or its stored cursor isn't `cursor`.
    package func advance(_ subscription: EventSubscription, from cursor: EventCursor) throws -> Bool {
        try sql.rowsChanged(
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
        ) == 1
    }

    /// Returns the last attempts to deliver events to a webhook, the newest first.
    package func deliveries(of id: SubscriptionID) throws -> [EventDelivery] {
        try lines(of: id).compactMap { line in
            (try? JSONValue.parse(Array(line))).flatMap { EventDelivery(stored: $0) }
        }
    }

    /// Records new delivery attempts, newest first, and drops the oldest if too many are stored.
    package func note(_ deliveries: [EventDelivery], of id: SubscriptionID) throws {
        // The stored attempts are not decoded. A busy webhook can have hundreds of attempts per second.
        let all = try deliveries.map { $0.stored.encoded()[...] } + lines(of: id)
        let text = Array(all.prefix(EventDelivery.keptMax).joined(separator: [UInt8(ascii: "\n")]))
        try sql.run(
            "UPDATE eventSubscription SET deliveries = $1 WHERE subscriptionId = $2",
            String(decoding: text, as: UTF8.self),
            id
        )
    }

    /// Returns the last attempts as they are stored, each as a line of JSON.
    private func lines(of id: SubscriptionID) throws -> [ArraySlice<UInt8>] {
        let text: String? = try sql.value("SELECT deliveries FROM eventSubscription WHERE subscriptionId = $1", id)
        return Array((text ?? "").utf8).split(separator: UInt8(ascii: "\n"))
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
    /// Decodes a stored attempt, or returns nil if the value isn't valid.
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

    /// The attempt as JSON, as it is stored and shown.
    package var stored: JSONValue {
        .object([
            "at": .integer(at.milliseconds), "webhookId": .string(webhookID), "events": .integer(Int64(events)),
            "status": status.map { .integer(Int64($0)) }, "ms": .integer(milliseconds),
            "error": error.map { .string($0) },
        ])
    }
}
