import Domain
import JSON
import Storage

/// The records and events that a batch adds to the history, within each device's daily limit.
struct HistoryAdditions {
    private(set) var records: [HistoryRecord] = []
    private(set) var events: [(DeviceID, Event)] = []

    /// Returns the values of a report's first point, encoded for the history, or nil if the report has no values.
    static func json(of report: Report) -> [UInt8]? { report.points.first?.data.encoded() }

    /// Returns whether the batch adds a record with this time and these values.
    func contains(_ json: [UInt8], ts: Instant, of did: DeviceID) -> Bool {
        records.contains { $0.ts == ts && $0.did == did && $0.json == json }
    }

    /// Adds an event without counting it against the limit.
    mutating func add(_ event: Event, of did: DeviceID) { events.append((did, event)) }

    /// Adds a report's values, bytes and events; returns false if all records and late events were dropped.
    mutating func add(
        _ received: ReceivedReport,
        _ outcome: StatusRules.Outcome,
        of device: DeviceEntry,
        status: inout Status,
        in work: inout UnitOfWork
    ) throws -> Bool {
        let bound = work.limits.historyBytesPerDay
        let records = Self.records(of: received, outcome, from: device.did)
        var (added, dropped) = (0, 0)
        for record in records {
            if status.historyUse.countValues(record.bytes, bound: bound, at: work.now) {
                self.records.append(record)
                status.historyCount.add(record.ts)
                added += 1
            } else {
                dropped += 1
            }
        }
        for event in outcome.events where status.historyUse.countEvent(event.bytes, bound: bound, at: work.now) {
            add(event, of: device.did)
        }
        for event in outcome.lateEvents {
            guard let event = try kept(event, of: device.did, in: work.tx) else { continue }
            if status.historyUse.countEvent(event.bytes, bound: bound, at: work.now) {
                add(event, of: device.did)
                added += 1
            } else {
                dropped += 1
            }
        }
        if dropped > 0 { countDropped(dropped, of: device, status: &status, in: &work) }
        return dropped == 0 || added > 0
    }

    /// Returns a late event as the history stores it, or nil if the event changes nothing.
    ///
    /// In the history, an alert or fault is raised only once before it is cleared. The event that clears an alert or
    /// fault has the same id as the event that raised it.
    private func kept(_ event: Event, of did: DeviceID, in tx: Transaction) throws -> Event? {
        guard
            let kind = ConditionKind.allCases.first(where: { event.type == $0.rawValue || event.type == $0.clearedType }
            )
        else { return nil }
        let stored = try tx.events.last(kind, event.name ?? "", of: did, until: event.ts)
        // If two events have the same time, the event that arrived later counts.
        let before = events.reduce(stored) { before, added in
            let isNewer =
                added.0 == did && (added.1.name ?? "").isSame(as: event.name ?? "") && added.1.ts <= event.ts
                && [kind.rawValue, kind.clearedType].contains(added.1.type)
                && before.map { $0.ts <= added.1.ts } ?? true
            return isNewer ? added.1 : before
        }
        let isOn = event.type == kind.rawValue
        guard isOn != (before?.type == kind.rawValue) else { return nil }
        var kept = event
        if !isOn, let before { kept.id = before.id }
        return kept
    }

    private static func records(
        of received: ReceivedReport,
        _ outcome: StatusRules.Outcome,
        from did: DeviceID
    ) -> [HistoryRecord] {
        let json = received.identity.values?.json
        var records = outcome.history.map { point in
            HistoryRecord(did: did, ts: point.ts, json: json ?? point.data.encoded())
        }
        if let binary = received.report.binary {
            records.append(HistoryRecord(did: did, ts: outcome.ts, data: nil, binary: binary))
        }
        return records
    }

    /// Counts dropped records, and notifies the device's users at most once an hour.
    private mutating func countDropped(
        _ count: Int,
        of device: DeviceEntry,
        status: inout Status,
        in work: inout UnitOfWork
    ) {
        work.effects.countDroppedHistory(count)
        guard status.historyUse.claimNotice(at: work.now) else { return }
        let resumesAt = HistoryUse.resumesAt(after: work.now).milliseconds
        let event = Event(
            id: work.makeID("e"),
            type: Event.historyLimited,
            value: [
                "megabytesPerDay": .integer(work.limits.historyBytesPerDay >> 20), "resumesAt": .integer(resumesAt),
            ],
            ts: work.now,
            actor: .system
        )
        add(event, of: device.did)
        device.publish(event, in: &work)
    }
}

extension HistoryRecord {
    /// The record's size, in bytes, which counts against the device's limit.
    fileprivate var bytes: Int { HistoryUse.recordBytes + (json?.count ?? 0) + (binary?.utf8.count ?? 0) }
}

extension Event {
    /// The event's size, in bytes, which counts against the device's limit.
    fileprivate var bytes: Int { HistoryUse.eventBytes + (value?.encoded().count ?? 0) }
}
