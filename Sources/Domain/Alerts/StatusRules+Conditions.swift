import JSON

/// The rules for the alerts and faults in a report.
///
/// These rules compare times in the same way as the rules for the values in a report.
extension StatusRules {
    /// Refuses a condition that the product doesn't declare, unless the condition is open and the report clears it.
    static func check(
        _ conditions: [Report.Condition],
        _ kind: ConditionKind,
        status: Status,
        product: Product
    ) -> Rejection? {
        for condition in conditions where !product.declares(kind, condition.name) {
            // A report can clear any open condition, even one that the product doesn't declare.
            if condition.value == .bool(false), status.eventID(kind, condition.name) != nil { continue }
            return .invalid(kind.field, "\(condition.name) is not one of the product's \(kind.field).")
        }
        return nil
    }

    /// Returns a rejection if a device has too many open conditions, or if the conditions' names are too long in total.
    ///
    /// These limits are meant for devices of free-form products, which may raise conditions of any name.
    static func checkConditions(_ status: Status) -> Rejection? {
        for kind in ConditionKind.allCases where status.open.count(where: { $0.kind == kind }) > FreeForm.conditionsMax
        { return .invalid(kind.field, "A device can have at most \(FreeForm.conditionsMax) open \(kind.field).") }
        let bytes = status.open.reduce(0) { $0 + JSONValue.string($1.name).encoded().count + 1 }
        guard bytes > FreeForm.conditionBytesMax else { return nil }
        let kind = status.open.contains { $0.kind == .alert } ? ConditionKind.alert : .fault
        return .invalid(
            kind.field,
            "The names of the open alerts and faults have more than \(FreeForm.conditionBytesMax) bytes."
        )
    }

    /// Raises and clears a report's conditions in the status, and adds the events to the outcome.
    static func raise(
        _ conditions: [Report.Condition],
        _ kind: ConditionKind,
        did: DeviceID,
        in status: inout Status,
        outcome: inout Outcome,
        at now: Instant,
        ids: inout IDSource
    ) {
        for condition in conditions {
            let isOn = condition.value != .bool(false)
            // As with attributes, the report with the newest time decides. If two reports have the same time, the
            // report that arrived later decides.
            let isNewest =
                status.conditionTime(kind, condition.name).map { replaces($0, reported: outcome.ts, at: now) } ?? true
            outcome.recordPart(isNewest: isNewest)
            let before = isNewest ? status.eventID(kind, condition.name) : nil
            let event = Event(
                id: before ?? ids.make("e", at: now),
                type: isOn ? kind.rawValue : kind.clearedType,
                name: condition.name,
                value: condition.value,
                ts: outcome.ts,
                actor: .device(did)
            )
            guard isNewest else {
                outcome.lateEvents.append(event)
                continue
            }
            status.recordCondition(kind, condition.name, eventID: isOn ? event.id : nil, at: outcome.ts)
            if isOn == (before == nil) { outcome.events.append(event) }
        }
    }
}

extension Status {
    /// Returns the time of the newest report that mentioned a condition.
    fileprivate func conditionTime(_ kind: ConditionKind, _ name: String) -> Instant? {
        open.first { $0.kind == kind && $0.name.isSame(as: name) }?.ts
            ?? cleared.first { $0.kind == kind && $0.name.isSame(as: name) }?.ts
    }

    fileprivate func eventID(_ kind: ConditionKind, _ name: String) -> String? {
        open.first { $0.kind == kind && $0.name.isSame(as: name) }?.eventID
    }

    /// Records a condition as raised if `eventID` is an event's id, or as cleared if `eventID` is nil.
    fileprivate mutating func recordCondition(_ kind: ConditionKind, _ name: String, eventID: String?, at ts: Instant) {
        cleared.removeAll { $0.kind == kind && $0.name.isSame(as: name) }
        let index = open.firstIndex { $0.kind == kind && $0.name.isSame(as: name) }
        if let eventID {
            if let index { return open[index].ts = ts }
            return open.append(.init(kind: kind, name: name, eventID: eventID, ts: ts))
        }
        if let index { open.remove(at: index) }
        cleared.append(.init(kind: kind, name: name, ts: ts))
        if cleared.count > Self.clearedMax { cleared.removeFirst() }
    }
}
