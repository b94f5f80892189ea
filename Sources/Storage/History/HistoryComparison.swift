package import Domain

/// The number of records that were accepted from a device on one day, and the number of stored records of that day.
package struct HistoryComparison: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The number of the UTC day, counted from the Unix epoch.
    package var day: Int64
    /// The number of accepted records, from the device's `HistoryCount`.
    package var taken: Int64
    /// The number of records in the device's chunks and in the history buffer.
    package var stored: Int64 = 0
}

extension HistoryTable {
    /// Counts the accepted and the stored records of up to `limit` bound devices, for each device's newest two days.
    ///
    /// Days that began before `oldest` are left out. Devices are chosen in the order of their ids, beginning at
    /// `start`. After the last id, the first id follows. Within `Store.read`, all numbers come from the same state of
    /// the database.
    package func compare(from start: String, since oldest: Instant, limit: Int) throws -> [HistoryComparison] {
        let statuses = try sample(from: start, limit: limit)
        var days = statuses.flatMap { record in
            record.status.historyCount.days.compactMap { day, taken in
                HistoryDay.time(of: day).lowerBound >= oldest.milliseconds
                    ? HistoryComparison(did: record.did, day: day, taken: taken) : nil
            }
        }
        try addInner(&days)
        try addAtEdges(&days)
        try addBuffered(&days)
        return days
    }

    private static let isBound = "EXISTS (SELECT 1 FROM binding AS b WHERE b.did = status.did)"

    private func sample(from start: String, limit: Int) throws -> [StatusRecord] {
        let found = try sql.rows(
            of: StatusRecord.table,
            "WHERE did >= $1 AND \(Self.isBound) ORDER BY did LIMIT $2",
            start,
            limit
        )
        return found
            + (try sql.rows(
                of: StatusRecord.table,
                "WHERE did < $1 AND \(Self.isBound) ORDER BY did LIMIT $2",
                start,
                limit - found.count
            ))
    }

    /// Adds the record counts of the chunks that lie within one day; their lines needn't be read.
    private func addInner(_ days: inout [HistoryComparison]) throws {
        try sql.query(
            """
            SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3 AND toTs < $3
            """,
            each: days.indices
        ) { [days] in
            let time = HistoryDay.time(of: days[$0].day)
            return (days[$0].did, time.lowerBound, time.upperBound)
        } row: { place, row in
            days[place].stored += row.next(Int64.self)
        }
    }

    /// Counts each day's lines in chunks that cross the day's beginning or end.
    private func addAtEdges(_ days: inout [HistoryComparison]) throws {
        let edges = days.indices.flatMap { place in
            let time = HistoryDay.time(of: days[place].day)
            return [(place, time.lowerBound), (place, time.upperBound)]
        }
        try sql.query(
            """
            SELECT \(HistoryChunk.table.columns) FROM history
            WHERE did = $1 AND fromTs >= $2 AND fromTs < $3 AND toTs >= $3
            """,
            each: edges
        ) { [days] place, edge in
            (days[place].did, edge - Self.spanMax, edge)
        } row: { edge, row in
            let time = HistoryDay.time(of: days[edge.0].day)
            HistoryLine.forEach(in: row.nextRow(HistoryChunk.self).lines) { line in
                if time.contains(HistoryLine.ts(line)) { days[edge.0].stored += 1 }
            }
        }
    }

    private func addBuffered(_ days: inout [HistoryComparison]) throws {
        let places = Dictionary(grouping: days.indices) { days[$0].did }
        try buffer.forEach { did, line in
            let day = HistoryDay.number(of: HistoryLine.ts(line))
            for place in places[did] ?? [] where days[place].day == day { days[place].stored += 1 }
        }
    }
}
