/// A run of one device's lines, ascending by time, as the history stores them.
struct HistoryChunk: TableRow {
    /// The device, which was there when its lines came, and may be forgotten since.
    var did: String
    /// The time of the first line, in milliseconds since 1970.
    var from: Int64
    /// Orders the chunks that begin at the same time; given when the chunk is stored.
    var seq: Int64 = 0
    /// The time of the last line, in milliseconds since 1970.
    var to: Int64
    /// The number of lines.
    var count: Int64 = 0
    /// The lines.
    var lines: [UInt8] = []

    static let table = Table<HistoryChunk>("history")
    /// Inserts a chunk unless its device was forgotten.
    static let insertOfKnownDevice = table.inserting(
        where: "EXISTS (SELECT 1 FROM device WHERE did = $1)"
    )

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
