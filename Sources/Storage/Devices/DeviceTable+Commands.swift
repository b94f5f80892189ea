package import Domain

extension DeviceTable {
    /// Returns the next command number of a device, for a command that this transaction stores.
    package func nextCommandID(_ did: DeviceID) throws -> Int64 { try nextCommandIDs([did])[0] ?? 1 }

    /// Returns each device's next command number for commands of this transaction, or nil for a deleted device.
    ///
    /// The number is one more than the number of the device's newest command. Usually, only the command's row contains
    /// the newest number. Before `RetentionTable` deletes this row, the number is copied to the device's row.
    package func nextCommandIDs(_ dids: [DeviceID]) throws -> [Int64?] {
        try transaction.requireLocks(of: dids)
        var last: [DeviceID: Int64] = [:]
        try sql.query(
            "SELECT lastCid, (SELECT max(cid) FROM command WHERE did = $1) FROM device WHERE did = $1",
            each: dids.indices
        ) {
            dids[$0].text
        } row: {
            last[dids[$0]] = max($1.next(Int64.self), $1.next())
        }
        return dids.map { did in
            guard let cid = last[did] else { return nil }
            last[did] = cid + 1
            return cid + 1
        }
    }

    /// Copies the newest command's number to the device's row, before the command is deleted.
    func keepLastCommandID(_ did: DeviceID) throws {
        try transaction.requireLock(of: did)
        try sql.run(
            """
            UPDATE device SET lastCid = (SELECT max(cid) FROM command WHERE did = $1)
            WHERE did = $1 AND lastCid < (SELECT max(cid) FROM command WHERE did = $1)
            """,
            did
        )
    }
}
