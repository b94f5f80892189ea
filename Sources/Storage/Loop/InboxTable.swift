package import Domain

/// A report that must take effect once: its device, and its id or what stands for it.
package struct InboxKey: Hashable, Sendable {
    /// The device.
    package var did: DeviceID
    /// The report's id; for one without, `#` and a digest of its time and content.
    package var id: String

    /// Makes a key.
    package init(did: DeviceID, id: String) {
        self.did = did
        self.id = id
    }
}

/// The ids of reports that took effect, each with the version it led to.
package struct InboxTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// Hands over the version of each key that took effect before, with its place.
    package func find(_ keys: [InboxKey], _ body: (Int, Int64) -> Void) throws {
        try sql.query("SELECT version FROM inbox WHERE did = $1 AND id = $2", each: keys.indices) {
            (keys[$0].did, keys[$0].id)
        } row: {
            body($0, $1.next())
        }
    }

    /// Claims keys that are new.
    package func add(_ entries: [(key: InboxKey, version: Int64)]) throws {
        try transaction.requireLocks(of: entries.map(\.key.did))
        try sql.run(
            "INSERT INTO inbox (did, id, version, at) VALUES ($1, $2, $3, $4)",
            each: entries
        ) { ($0.key.did, $0.key.id, $0.version, transaction.now) }
    }

    /// Returns devices with more keys than so many.
    package func crowded(over count: Int) throws -> [DeviceID] {
        try sql.query("SELECT did FROM inbox GROUP BY did HAVING count(*) > $1", count) {
            $0.next()
        }
    }

    /// Returns when a device's newest keys begin, of which so many are kept; nil if it has fewer.
    ///
    /// Reads all keys of the device.
    package func beginning(of did: DeviceID, keeping count: Int) throws -> Instant? {
        try sql.first(
            "SELECT at FROM inbox WHERE did = $1 ORDER BY at DESC LIMIT 1 OFFSET $2",
            did,
            count - 1
        ) {
            $0.next()
        }
    }

    /// Forgets keys of a device claimed before a moment, at most `limit`; returns how many.
    package func prune(_ did: DeviceID, before moment: Instant, limit: Int) throws -> Int {
        try transaction.requireLock(of: did)
        try sql.run(
            """
            DELETE FROM inbox WHERE did = $1 AND id IN (
                SELECT id FROM inbox WHERE did = $1 AND at < $2 LIMIT $3)
            """,
            did,
            moment,
            limit
        )
        return try sql.changes
    }
}
