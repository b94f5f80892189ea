import Domain

/// A reader of a table of device records, backwards in time and page by page.
///
/// A row's place is its time and its number, which distinguishes rows of one moment.
struct DeviceLog<Record: TableRow>: Sendable {
    let text: String

    /// Describes the log by its table and the columns that hold the time and the number of a row.
    init(_ table: Table<Record>, time: String, number: String) {
        text = """
            SELECT \(table.columns) FROM \(table.name)
            WHERE did = $1 AND \(time) >= $2 AND \(time) <= $3
                AND (\(time) < $3 OR \(number) < $4)
            ORDER BY \(time) DESC, \(number) DESC
            """
    }

    /// Passes `body` a device's rows of a time, newest first, until `body` returns false.
    ///
    /// Begins after the row at `cursor`, if given.
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
