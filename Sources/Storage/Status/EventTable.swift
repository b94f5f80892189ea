package import Domain

/// The events of devices.
package struct EventTable: TransactionTable {
    let transaction: Transaction

    /// Adds events, each with its device.
    package func append(_ events: [(DeviceID, Event)]) throws {
        try transaction.requireLocks(of: events.map(\.0))
        let rows = events.map { did, event in
            EventRow(did: did, seq: transaction.sequence.next(now), event: event)
        }
        try sql.run(EventRow.table.insert, each: rows)
    }

    /// Passes a period's events with their numbers to `body`, newest first, until `body` returns false.
    ///
    /// If `cursor` isn't nil, only events that are older than the cursor are passed.
    package func log(
        _ did: DeviceID,
        from: Instant,
        to: Instant,
        before cursor: (ts: Instant, seq: Int64)?,
        _ body: (Event, Int64) throws -> Bool
    ) throws {
        let place = cursor.map { (time: $0.ts, number: $0.seq) }
        try Self.log.scan(did, from: from, to: to, before: place, in: sql) { try body($0.event, $0.seq) }
    }

    /// The maximum number of events that `last` searches.
    private static let searchedMax = 200

    /// Returns an alert's or fault's newest event up to `moment`, or nil.
    ///
    /// Only the device's newest `searchedMax` events up to `moment` are searched.
    package func last(_ kind: ConditionKind, _ name: String, of did: DeviceID, until moment: Instant) throws -> Event? {
        try sql.first(
            """
            SELECT \(EventRow.table.columns) FROM (
                SELECT \(EventRow.table.columns) FROM event WHERE did = $1 AND ts <= $2
                ORDER BY ts DESC, seq DESC LIMIT $3) AS newest
            WHERE name = $4 AND type IN ($5, $6) ORDER BY ts DESC, seq DESC LIMIT 1
            """,
            did,
            moment,
            Self.searchedMax,
            name,
            kind.rawValue,
            kind.clearedType
        ) { (row: inout Row) -> EventRow in row.nextRow() }?.event
    }

    static let log = DeviceLog(EventRow.table, time: "ts", number: "seq")
}

/// An event with its device and a unique number; later events have larger numbers.
struct EventRow: TableRow {
    var did: DeviceID
    var seq: Int64
    var event: Event

    static let table = Table<EventRow>("event")

    static func map(_ column: inout ColumnMapper<EventRow>) -> EventRow {
        EventRow(
            did: column("did", \.did, as: .key),
            seq: column("seq", \.seq, as: .key),
            event: Event(
                id: column("eventId", \.event.id),
                type: column("type", \.event.type),
                name: column("name", \.event.name),
                value: column("value", \.event.value),
                reason: column("reason", \.event.reason),
                ts: column("ts", \.event.ts, as: .key),
                actor: column.actor(\.event.actor)
            )
        )
    }
}
