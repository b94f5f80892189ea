package import Domain
import JSON

/// What happened to devices.
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
            binder.add(transaction.stamps.next(transaction.now))
            binder.add(event.id)
            binder.add(event.type)
            binder.add(event.name)
            binder.add(event.value.map { String(decoding: $0.encoded(), as: UTF8.self) })
            binder.add(event.reason)
            binder.add(actor)
        }
    }
}
