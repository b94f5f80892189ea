import Domain

/// A reader of a table of devices' records, from the newest to the oldest.
///
/// A position in the table (a cursor) is a row's time and number. The number distinguishes rows with the same time.
struct DeviceLog<Record: TableRow>: Sendable {
    let text: String

    /// Describes the table, with the names of the columns for time and number.
    init(_ table: Table<Record>, time: String, number: String) {
        text = """
            SELECT \(table.columns) FROM \(table.name)
            WHERE did = $1 AND \(time) >= $2 AND \(time) <= $3
                AND (\(time) < $3 OR \(number) < $4)
            ORDER BY \(time) DESC, \(number) DESC
            """
    }

    /// Passes to `body` a device's rows from a period, the newest first, until `body` returns false.
    ///
    /// With `cursor`, the scan begins at the newest row older than the cursor.
    func scan(
        _ did: DeviceID,
        from: Instant,
        to: Instant,
        before cursor: (time: Instant, number: Int64)?,
        in sql: SQL,
        _ body: (Record) throws -> Bool
    ) throws {
        let start = cursor ?? (to, .min)
        try sql.scan(text, did, from, start.time, start.number) { try body($0.nextRow()) }
    }
}
