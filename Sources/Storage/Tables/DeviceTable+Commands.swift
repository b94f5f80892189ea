package import Domain

extension DeviceTable {
    /// Takes the next command number of each device, in order; one that is gone gets none.
    ///
    /// Read and written apart, within a transaction that writes: with `RETURNING` the engine makes a table
    /// in memory each time, and nobody else takes a number in between.
    package func nextCommandIDs(_ dids: [DeviceID]) throws -> [Int64?] {
        var last: [DeviceID: Int64] = [:]
        try transaction.sql.query(
            "SELECT lastCid FROM device WHERE did = $1",
            each: dids.indices
        ) {
            $0.add(dids[$1].text)
        } row: {
            last[dids[$0]] = $1.integer(0)
        }
        let taken = dids.map { did -> Int64? in
            guard let cid = last[did] else { return nil }
            last[did] = cid + 1
            return cid + 1
        }
        try transaction.sql.run(
            "UPDATE device SET lastCid = $1 WHERE did = $2",
            each: last.sorted { $0.key < $1.key }
        ) {
            $0.add($1.value)
            $0.add($1.key.text)
        }
        return taken
    }
}
