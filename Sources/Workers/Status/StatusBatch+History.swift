import Domain
import JSON
import Storage
import Wire

/// Stores the reports of a batch in the history, within each device's limit for a day.
extension StatusBatch {
    /// Stores a report's values, bytes and events; returns false if all of its records were dropped.
    mutating func keep(
        _ report: Report,
        _ outcome: StatusRules.Outcome,
        _ device: Int,
        _ status: inout Status,
        json: [UInt8]?,
        at now: Instant,
        ids: inout IDSource
    ) -> Bool {
        let records = Self.records(report, outcome, did: dids[device], json: json)
        var dropped = 0
        for record in records {
            if status.historyUse.take(record.bytes, bound: historyBytesPerDay, at: now) {
                history.append((device, record))
            } else {
                dropped += 1
            }
        }
        for event in outcome.events { keep(event, device, &status, at: now) }
        if dropped > 0 { drop(dropped, device, &status, at: now, ids: &ids) }
        return dropped == 0 || dropped < records.count
    }

    private static func records(
        _ report: Report,
        _ outcome: StatusRules.Outcome,
        did: DeviceID,
        json: [UInt8]?
    ) -> [HistoryRecord] {
        var records = outcome.history.map { point in
            HistoryRecord(did: did, ts: point.ts, json: json ?? point.data.encoded())
        }
        if let binary = report.binary {
            records.append(HistoryRecord(did: did, ts: outcome.ts, data: nil, binary: binary))
        }
        return records
    }

    private mutating func keep(
        _ event: Event,
        _ device: Int,
        _ status: inout Status,
        at now: Instant
    ) {
        let bytes = HistoryUse.eventBytes + (event.value?.encoded().count ?? 0)
        guard status.historyUse.takeEvent(bytes, bound: historyBytesPerDay, at: now) else { return }
        events.append((dids[device], event))
    }

    /// Counts dropped records, and tells the users once an hour.
    private mutating func drop(
        _ count: Int,
        _ device: Int,
        _ status: inout Status,
        at now: Instant,
        ids: inout IDSource
    ) {
        effects.countDroppedHistory(count)
        guard status.historyUse.tells(at: now) else { return }
        let resumesAt = HistoryUse.resumesAt(after: now).milliseconds
        let event = Event(
            id: ids.make("e", at: now),
            type: Event.historyLimited,
            value: [
                "megabytesPerDay": .integer(historyBytesPerDay >> 20),
                "resumesAt": .integer(resumesAt),
            ],
            ts: now,
            actor: .system
        )
        events.append((dids[device], event))
        publishEvent(event, device)
    }
}

extension HistoryRecord {
    /// The size of the record within its device's limit.
    fileprivate var bytes: Int {
        HistoryUse.recordBytes + (json?.count ?? 0) + (binary?.utf8.count ?? 0)
    }
}
