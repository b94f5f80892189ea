package import Domain

extension HistoryTable {
    /// Returns a device's records up to a given time, the newest record first.
    ///
    /// If records of one chunk or of the buffer have the same time, the record that arrived last comes first. Reads the
    /// whole buffer, and as many chunks as needed, beginning with the newest chunk.
    package func newest(_ did: DeviceID, until moment: Instant, limit: Int) throws -> [HistoryRecord] {
        var lines: [(ts: Int64, order: Int, bytes: ArraySlice<UInt8>)] = []
        func add(_ line: ArraySlice<UInt8>) {
            let ts = HistoryLine.ts(line)
            if ts <= moment.milliseconds { lines.append((ts, lines.count, line)) }
        }
        try sql.scan(
            """
            SELECT \(HistoryChunk.table.columns) FROM history
            WHERE did = $1 AND fromTs <= $2 ORDER BY fromTs DESC, seq DESC
            """,
            did,
            moment
        ) { row in
            let chunk = row.nextRow(HistoryChunk.self)
            // This chunk and all older chunks contain no line later than `chunk.from + spanMax`.
            let certain = lines.count { $0.ts > chunk.from + Self.spanMax }
            guard certain < limit else { return false }
            HistoryLine.forEach(in: chunk.lines, add)
            return true
        }
        // Lines in the buffer are added last, since they arrived after the lines in chunks.
        let end = Instant(milliseconds: min(moment.milliseconds, Instant.max.milliseconds - 1) + 1)
        try buffer.lines(of: did, from: Instant(milliseconds: 0), to: end, add)
        lines.sort { ($0.ts, $0.order) > ($1.ts, $1.order) }
        return lines.prefix(limit).compactMap { HistoryLine.record($0.bytes, of: did) }
    }
}
