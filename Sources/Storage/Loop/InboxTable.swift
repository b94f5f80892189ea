package import Domain

/// A device's id and a report's id, by which workers recognize a repeated report.
package struct InboxKey: Hashable, Sendable {
    /// The device.
    package var did: DeviceID
    /// The report's id, or `#` and a digest of the time and content if the report has no id.
    package var id: String

    /// Makes a key.
    package init(did: DeviceID, id: String) {
        (self.did, self.id) = (did, id)
    }
}

/// The reports that took effect, each with the resulting version of the device's state.
package struct InboxTable: TransactionTable {
    let transaction: Transaction

    /// For each key whose report took effect, passes the key's index and the resulting state version to `body`.
    package func find(_ keys: [InboxKey], _ body: (Int, Int64) -> Void) throws {
        try sql.query("SELECT version FROM inbox WHERE did = $1 AND id = $2", each: keys.indices) {
            (keys[$0].did, keys[$0].id)
        } row: {
            body($0, $1.next())
        }
    }

    /// Adds the keys of reports that take effect in this transaction.
    package func add(_ entries: [(key: InboxKey, version: Int64)]) throws {
        try transaction.requireLocks(of: entries.map(\.key.did))
        try sql.run("INSERT INTO inbox (did, id, version, at) VALUES ($1, $2, $3, $4)", each: entries) {
            ($0.key.did, $0.key.id, $0.version, now)
        }
    }

    /// Returns the devices with more than `count` stored keys.
    package func crowded(over count: Int) throws -> [DeviceID] {
        try sql.values("SELECT did FROM inbox GROUP BY did HAVING count(*) > $1", count)
    }

    /// Returns the oldest time among a device's newest `count` keys, or nil if the device has fewer keys.
    ///
    /// Reads all keys of the device.
    package func beginning(of did: DeviceID, keeping count: Int) throws -> Instant? {
        try sql.value("SELECT at FROM inbox WHERE did = $1 ORDER BY at DESC LIMIT 1 OFFSET $2", did, count - 1)
    }

    /// Deletes at most `limit` of a device's keys added before `moment`, and returns how many.
    package func prune(_ did: DeviceID, before moment: Instant, limit: Int) throws -> Int {
        try transaction.requireLock(of: did)
        return try sql.rowsChanged(
            "DELETE FROM inbox WHERE did = $1 AND id IN (SELECT id FROM inbox WHERE did = $1 AND at < $2 LIMIT $3)",
            did,
            moment,
            limit
        )
    }
}
