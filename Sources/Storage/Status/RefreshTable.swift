package import Batching
package import Domain

/// A request to publish a device's retained status to a user again.
package struct Refresh: Hashable, Sendable {
    /// The device.
    package var did: DeviceID
    /// The user.
    package var uid: UserID

    /// Makes a refresh.
    package init(did: DeviceID, uid: UserID) {
        (self.did, self.uid) = (did, uid)
    }
}

/// The requests to publish retained statuses again, or to clear them.
///
/// Only the status worker publishes statuses, so that they stay in order. Other workers add a row to this table and
/// wake the status worker. The status worker publishes the status. If the user isn't subscribed or the device doesn't
/// exist, the worker publishes an empty message instead.
///
/// A transaction can request refreshes of all bindings without locking the devices. Instead, the transaction locks the
/// existing refresh rows by writing them again. A transaction that carries out a refresh first removes the refresh's
/// row. If a requesting transaction has locked the row, the removal waits until that transaction has ended. The changed
/// data is read only after the removal.
package struct RefreshTable: TransactionTable {
    let transaction: Transaction
    private static let again = "ON CONFLICT (did, uid) DO UPDATE SET uid = excluded.uid"

    /// Adds refreshes for some bindings.
    package func add(_ refreshes: [Refresh]) throws {
        try transaction.requireLocks(of: refreshes.map(\.did))
        try sql.run("INSERT INTO refresh (did, uid) VALUES ($1, $2) ON CONFLICT DO NOTHING", each: refreshes) {
            ($0.did, $0.uid)
        }
    }

    /// Adds refreshes for the shards' subscribed bindings, after the broker lost retained messages.
    package func addAll(of shards: Shards = .all) throws {
        guard shards.areAll else {
            return try sql.run(
                """
                INSERT INTO refresh (did, uid) SELECT did, uid FROM binding
                WHERE subscribed = 1 AND instr($1, substr(did, length(did) - 1)) > 0
                ORDER BY did, uid \(Self.again)
                """,
                shards.names
            )
        }
        try sql.run(
            """
            INSERT INTO refresh (did, uid) SELECT did, uid FROM binding WHERE subscribed = 1
            ORDER BY did, uid \(Self.again)
            """
        )
    }

    /// Adds refreshes for a user's subscriptions to the given devices (nil: all devices).
    package func add(of uid: UserID, _ dids: [DeviceID]?) throws {
        guard let dids else {
            return try sql.run(
                """
                INSERT INTO refresh (did, uid) SELECT did, uid FROM binding
                WHERE subscribed = 1 AND uid = $1 ON CONFLICT DO NOTHING
                """,
                uid
            )
        }
        try sql.run(
            """
            INSERT INTO refresh (did, uid) SELECT did, uid FROM binding
            WHERE subscribed = 1 AND uid = $1 AND did = $2 ON CONFLICT DO NOTHING
            """,
            each: dids
        ) { (uid, $0) }
    }

    /// Adds refreshes for a product's subscribed bindings, after the product's data points have changed.
    package func addAll(of key: ProductKey) throws {
        try sql.run(
            """
            INSERT INTO refresh (did, uid) SELECT did, uid FROM binding
            WHERE subscribed = 1 AND did IN (SELECT did FROM device WHERE productKey = $1)
            ORDER BY did, uid \(Self.again)
            """,
            key
        )
    }

    /// Returns whether there is any refresh for devices of some shards.
    package func isWaiting(_ shards: Shards = .all) throws -> Bool {
        guard shards.areAll else {
            return try sql.integer(
                "SELECT 1 FROM refresh WHERE instr($1, substr(did, length(did) - 1)) > 0 LIMIT 1",
                shards.names
            ) != nil
        }
        return try sql.integer("SELECT 1 FROM refresh LIMIT 1") != nil
    }

    /// Returns at most `limit` refreshes of the given shards, sorted by device and user.
    package func next(limit: Int, of shards: Shards = .all) throws -> [Refresh] {
        guard shards.areAll else {
            return try sql.query(
                """
                SELECT did, uid FROM refresh WHERE instr($1, substr(did, length(did) - 1)) > 0
                ORDER BY did, uid LIMIT $2
                """,
                shards.names,
                limit
            ) { Refresh(did: $0.next(), uid: $0.next()) }
        }
        return try sql.query("SELECT did, uid FROM refresh ORDER BY did, uid LIMIT $1", limit) {
            Refresh(did: $0.next(), uid: $0.next())
        }
    }

    /// Removes the refreshes that this transaction carries out.
    ///
    /// The transaction must call this method before it reads the statuses.
    package func remove(_ refreshes: [Refresh]) throws {
        try transaction.requireLocks(of: refreshes.map(\.did))
        try sql.run("DELETE FROM refresh WHERE did = $1 AND uid = $2", each: refreshes) { ($0.did, $0.uid) }
    }
}
