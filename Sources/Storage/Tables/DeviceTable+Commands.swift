package import Domain

extension DeviceTable {
    /// Takes the next command number of each device, in order; one that is gone gets none.
    package func nextCommandIDs(_ dids: [DeviceID]) throws -> [Int64?] {
        var taken = [Int64?](repeating: nil, count: dids.count)
        try transaction.sql.query(
            "UPDATE device SET lastCid = lastCid + 1 WHERE did = $1 RETURNING lastCid",
            each: dids.indices
        ) {
            $0.add(dids[$1].text)
        } row: {
            taken[$0] = $1.integer(0)
        }
        return taken
    }
}
