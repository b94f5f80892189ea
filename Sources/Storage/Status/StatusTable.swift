package import Domain

/// The current statuses of devices: one row for each device.
package struct StatusTable {
    let transaction: Transaction
    var sql: SQL { transaction.sql }
    /// The writer's cache; nil for readers.
    private var cache: WriterCache? { transaction.writerCache }

    /// The statement that writes presence only.
    private static let savePresence = StatusRecord.table.updating(.apart)

    func create(_ did: DeviceID, product: ProductKey, at now: Instant) throws {
        try transaction.requireLock(of: did)
        let record = StatusRecord(did: did, productKey: product, status: Status(ts: now))
        try sql.run(StatusRecord.table.insert, record)
        cache?.put(CollectionOfOne(record))
    }

    func forget(_ did: DeviceID) throws {
        try transaction.requireLock(of: did)
        try sql.run("DELETE FROM status WHERE did = $1", did)
        cache?.remove(did)
    }

    /// Returns one device's status, or nil.
    package func find(_ did: DeviceID) throws -> StatusRecord? {
        var found: StatusRecord?
        try load([did]) { found = $1 }
        return found
    }

    /// Passes the status of each device that exists to `body`, with the device's index.
    package func load(_ dids: [DeviceID], _ body: (Int, StatusRecord) -> Void) throws {
        let wanted = cache?.find(dids, body) ?? Array(dids.indices)
        var read: [StatusRecord] = []
        try sql.query(StatusRecord.table.find, each: wanted) {
            dids[$0]
        } row: { place, row in
            let record = row.nextRow(StatusRecord.self)
            read.append(record)
            body(place, record)
        }
        cache?.put(read)
    }

    /// Returns devices that are online, in the order of their ids, starting after `did`.
    package func online(after did: String, limit: Int) throws -> [DeviceID] {
        try sql.query(
            "SELECT did FROM status WHERE online = 1 AND did > $1 ORDER BY did LIMIT $2",
            did,
            limit
        ) {
            $0.next()
        }
    }

    /// Returns how many devices are online.
    package func onlineCount() throws -> Int64 {
        try sql.integer("SELECT count(*) FROM status WHERE online = 1") ?? 0
    }

    /// Writes statuses of existing devices, in the order of their ids: attributes of `reported`,
    /// presence of `moved`.
    ///
    /// They are written separately, because presence changes seldom and an index depends on it.
    package func save(reported: [StatusRecord], moved: [StatusRecord] = []) throws {
        try transaction.requireLocks(of: reported.map(\.did) + moved.map(\.did))
        try sql.run(StatusRecord.table.update, each: reported)
        try sql.run(Self.savePresence, each: moved)
        cache?.put(reported)
        cache?.put(moved)
        // The gate needs the largest connection number.
        for record in moved { transaction.gate.note(connection: record.status.presence.connection) }
    }

    /// Returns the largest connection number ever reported; 0 before the first.
    static func lastConnection(_ sql: SQL) throws -> Int64 {
        try sql.integer("SELECT coalesce(max(connection), 0) FROM status") ?? 0
    }

    /// Deletes a device's reports of its ownership period so far; its version continues to grow.
    package func wipe(_ did: DeviceID, at now: Instant) throws {
        guard var record = try find(did) else { return }
        record.status.attributes = []
        record.status.open = []
        record.status.newest = nil
        record.status.cleared = []
        record.status.version += 1
        record.status.ts = now
        try save(reported: [record])
    }
}
