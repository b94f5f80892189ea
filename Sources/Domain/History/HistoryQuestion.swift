/// A query of a device's history.
package struct HistoryQuestion: Sendable {
    /// A summary of values: the step of time, the function over the values of one step, and the IANA zone of calendar
    /// steps.
    package typealias Summary = (step: TimeStep, function: SummaryFunction, timezone: String)

    /// The device.
    package var did: DeviceID
    /// The attribute; nil for all.
    package var attribute: String?
    /// The beginning of the period.
    package var place: HistoryPlace
    /// The end of the period, exclusive.
    package var to: Instant
    /// The maximum number of rows.
    package var limit: Int
    /// The summary; nil for the records themselves.
    package var summary: Summary?
    /// The attributes that are never shown.
    package var hidden: Set<String> = []

    /// Makes a query.
    package init(did: DeviceID, attribute: String?, place: HistoryPlace, to: Instant, limit: Int, summary: Summary?) {
        self.did = did
        self.attribute = attribute
        self.place = place
        self.to = to
        self.limit = limit
        self.summary = summary
    }
}

/// A place among the records of a device: after a number of records of one moment.
///
/// Records of one moment are in the order of their arrival, so new records don't move a place.
package struct HistoryPlace: Sendable, Equatable {
    /// The moment.
    package var ts: Instant
    /// The number of records of that moment before the place.
    package var skip: Int

    /// Names a place.
    package init(_ ts: Instant, skip: Int = 0) {
        self.ts = ts
        self.skip = skip
    }

    /// Reads a cursor; nil if the text isn't one.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let ts = Int64(parts[0]), let skip = Int(parts[1]), skip >= 0,
            ts.magnitude <= UInt64(Instant.max.milliseconds)
        else { return nil }
        self.init(Instant(milliseconds: ts), skip: skip)
    }

    /// The place as a cursor.
    package var cursor: String { "\(ts.milliseconds).\(skip)" }
}
