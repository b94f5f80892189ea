package import JSON

/// The rules for a report's effect on a device's status, as pure functions.
///
/// The documentation describes these rules (reference: reports#order).
package enum StatusRules {
    /// The consequences of an accepted report.
    package struct Outcome: Sendable, Equatable {
        /// The names of the attributes whose values changed.
        package var changed: [String] = []
        /// The values to store in the history, with their effective times.
        package var history: [HistoryPoint] = []
        /// The events to publish and store.
        package var events: [Event] = []
        /// The events that are stored but not published, because newer states are already known.
        package var lateEvents: [Event] = []
        /// The report's effective time.
        package var ts: Instant

        /// Whether some part of the report is new enough for the state.
        package var isNewest = false
        /// Whether some part of the report is stored only in the history.
        ///
        /// This is true of binary data, and of values that are older than the state.
        package var isPast = false

        /// The place where the report was stored, which is also named in the answer to the device.
        package var stored: Report.Stored { isPast && !isNewest ? .history : .state }

        /// Whether the report makes a change that is visible to bound users.
        package var isVisible: Bool { !changed.isEmpty || !events.isEmpty }
    }

    /// Values to store in the history, with their effective time.
    package struct HistoryPoint: Sendable, Equatable {
        /// The effective time: the device's own time, or the time of arrival.
        package var ts: Instant
        /// The values.
        package var data: JSONObject
    }

    /// Merges a report into a device's status, or refuses the whole report and changes nothing.
    package static func decide(
        _ report: Report,
        of did: DeviceID,
        product: Product,
        status: inout Status,
        at now: Instant,
        ids: inout IDSource
    ) -> Result<Outcome, Rejection> {
        if let rejection = check(report, status, product: product) { return .failure(rejection) }
        var next = status
        var outcome = Outcome(ts: effective(report.ts, at: now))
        outcome.changed.reserveCapacity(report.points.first?.data.members.count ?? 0)
        outcome.isPast = report.binary != nil
        for point in report.points { merge(point, fallback: outcome.ts, into: &next, outcome: &outcome, at: now) }
        if !report.points.isEmpty, let rejection = checkSize(next, product) { return .failure(rejection) }
        raise(report.alerts, .alert, did: did, in: &next, outcome: &outcome, at: now, ids: &ids)
        raise(report.faults, .fault, did: did, in: &next, outcome: &outcome, at: now, ids: &ids)
        if next.open.count > status.open.count, let rejection = checkConditions(next) { return .failure(rejection) }
        if !outcome.changed.isEmpty { next.version += 1 }
        if outcome.isVisible { next.ts = later(next.ts, outcome.ts, at: now) }
        status = next
        return .success(outcome)
    }

    /// Returns the device's time, or `now` if the device's time is missing or too far in the future.
    package static func effective(_ ts: Instant?, at now: Instant) -> Instant {
        guard let ts, ts <= now.adding(seconds: Report.aheadMaxSeconds) else { return now }
        return ts
    }

    /// Returns whether a value with the time `ts` replaces a stored value with the time `stored`.
    ///
    /// If `ts` is the time of arrival, the value replaces any stored value, even a stored value with a future time.
    static func replaces(_ stored: Instant, reported ts: Instant, at now: Instant) -> Bool {
        ts == now || ts >= stored || isVoid(stored, at: now)
    }

    /// Returns the time that is stored with a reported value when this value replaces a stored value.
    private static func later(_ stored: Instant, _ ts: Instant, at now: Instant) -> Instant {
        ts == now || isVoid(stored, at: now) ? ts : max(stored, ts)
    }

    /// Returns whether a stored time is too far in the future to be accepted in a new report.
    ///
    /// This happens after the clock has been set back.
    private static func isVoid(_ stored: Instant, at now: Instant) -> Bool {
        stored > now.adding(seconds: Report.aheadMaxSeconds)
    }

    // MARK: Checking

    private static func check(_ report: Report, _ status: Status, product: Product) -> Rejection? {
        let isBatch = report.isBatch
        for (index, point) in report.points.enumerated() {
            let path = isBatch ? "reports.\(index).data" : "data"
            if let rejection = ProductRules.check(reported: point.data, product: product, path: path) {
                return rejection
            }
        }
        if report.binary != nil, let rejection = ProductRules.refuseBinary(product, "binary") { return rejection }
        return check(report.alerts, .alert, status: status, product: product)
            ?? check(report.faults, .fault, status: status, product: product)
    }

    private static func checkSize(_ status: Status, _ product: Product) -> Rejection? {
        guard product.isFreeForm else { return StatusSize.check(status) }
        if status.attributes.count > FreeForm.attributesMax {
            return .invalid("data", "A device has at most \(FreeForm.attributesMax) attributes.")
        }
        let bytes = status.attributes.reduce(2) { sum, attribute in
            sum + attribute.name.utf8.count + 4 + attribute.value.encoded().count
        }
        return bytes <= FreeForm.stateBytesMax
            ? nil : .invalid("data", "A device's state has at most \(FreeForm.stateBytesMax) bytes.")
    }

    // MARK: Merging

    private static func merge(
        _ point: Report.Point,
        fallback: Instant,
        into status: inout Status,
        outcome: inout Outcome,
        at now: Instant
    ) {
        let ts = point.ts.map { effective($0, at: now) } ?? fallback
        for member in point.data.members {
            if case .null = member.value { continue }
            let isNewest = merge(member, ts: ts, into: &status, changed: &outcome.changed, at: now)
            outcome.recordPart(isNewest: isNewest)
        }
        outcome.history.append(HistoryPoint(ts: ts, data: point.data))
    }

    /// Sets an attribute and returns true, or returns false if the reported value doesn't replace the stored value.
    private static func merge(
        _ member: JSONObject.Member,
        ts: Instant,
        into status: inout Status,
        changed: inout [String],
        at now: Instant
    ) -> Bool {
        for index in status.attributes.indices where status.attributes[index].name.isSame(as: member.key) {
            let before = status.attributes[index].ts
            guard replaces(before, reported: ts, at: now) else { return false }
            if !status.attributes[index].value.means(member.value) {
                status.attributes[index].value = member.value
                if !changed.contains(where: { $0.isSame(as: member.key) }) { changed.append(member.key) }
            }
            status.attributes[index].ts = later(before, ts, at: now)
            return true
        }
        status.attributes.append(.init(name: member.key, value: member.value, ts: ts))
        changed.append(member.key)
        return true
    }
}

extension StatusRules.Outcome {
    /// Records whether a part of the report belongs in the state or only in the history.
    mutating func recordPart(isNewest: Bool) { if isNewest { self.isNewest = true } else { isPast = true } }
}
