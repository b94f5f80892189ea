/// Lines of one device, in ascending order of time, stored in one row.
struct HistoryChunk: TableRow {
    /// The device's id, even if the device was deleted after the lines arrived.
    var did: String
    /// The time of the first line, in milliseconds since 1970.
    var from: Int64
    /// The order among chunks with the same beginning, set when the chunk is stored.
    var seq: Int64 = 0
    /// The time of the last line, in milliseconds since 1970.
    var to: Int64
    /// The number of lines.
    var count: Int64 = 0
    /// The lines.
    var lines: [UInt8] = []

    static let table = Table<HistoryChunk>("history")
    /// The statement that inserts a chunk, unless the chunk's device has been deleted.
    static let insertOfKnownDevice = table.inserting(where: "EXISTS (SELECT 1 FROM device WHERE did = $1)")

    static func map(_ column: inout ColumnMapper<HistoryChunk>) -> HistoryChunk {
        HistoryChunk(
            did: column("did", \.did, as: .key),
            from: column("fromTs", \.from, as: .key),
            seq: column("seq", \.seq, as: .key),
            to: column("toTs", \.to),
            count: column("count", \.count),
            lines: column("lines", \.lines)
        )
    }
}
