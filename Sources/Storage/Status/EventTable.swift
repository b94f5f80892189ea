package import Domain
import JSON
import Wire

/// The events of devices.
package struct EventTable {
    let transaction: Transaction

    /// Adds events with their devices.
    package func append(_ events: [(DeviceID, Event, actor: String)]) throws {
        try transaction.sql.run(
            """
            INSERT INTO event (did, ts, seq, eventId, type, name, value, reason, actor)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            each: events
        ) { binder, entry in
            let (did, event, actor) = entry
            binder.add(did.text)
            binder.add(event.ts.milliseconds)
            binder.add(transaction.sequence.next(transaction.now))
            binder.add(event.id)
            binder.add(event.type)
            binder.add(event.name)
            binder.add(event.value.map { String(decoding: $0.encoded(), as: UTF8.self) })
            binder.add(event.reason)
            binder.add(actor)
        }
    }

    /// A device's events of a time, newest first, from behind a place on, each with its number.
    ///
    /// Passes one after the other to `body` until it returns false.
    package func log(
        _ did: DeviceID,
        from: Instant,
        to: Instant,
        before cursor: (ts: Instant, seq: Int64)?,
        _ body: (Event, Int64) throws -> Bool
    ) throws {
        let start = cursor ?? (to, .min)
        try transaction.sql.scan(
            """
            SELECT eventId, type, name, value, reason, ts, actor, seq FROM event
            WHERE did = $1 AND ts >= $2 AND ts <= $3 AND (ts < $3 OR seq < $4)
            ORDER BY ts DESC, seq DESC
            """
        ) {
            $0.add(did.text)
            $0.add(from.milliseconds)
            $0.add(start.ts.milliseconds)
            $0.add(start.seq)
        } row: {
            try body(Self.event($0), $0.integer(7))
        }
    }

    private static func event(_ row: Row) -> Event {
        Event(
            id: row.text(0),
            type: row.text(1),
            name: row.optionalText(2),
            value: row.isNull(3) ? nil : row.withBytes(3, text: true) { try? JSONValue.parse($0) },
            reason: row.optionalText(4),
            ts: Instant(milliseconds: row.integer(5)),
            actor: EventCodec.decode(row.withBytes(6, text: true) { try? JSONValue.parse($0) })
                ?? .system
        )
    }
}
