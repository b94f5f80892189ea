/// A query of a device's history.
package struct HistoryQuestion: Sendable {
    /// The summary of values that a query requests: a step of time, a function over the values of each step, and the
    /// IANA time zone of calendar steps.
    package typealias Summary = (step: TimeStep, function: SummaryFunction, timezone: String)

    /// The device whose history is queried.
    package var did: DeviceID
    /// The requested attribute; nil for all attributes.
    package var attribute: String?
    /// The place in the history at which the period begins.
    package var place: HistoryPlace
    /// The end of the period, exclusive.
    package var to: Instant
    /// The maximum number of rows.
    package var limit: Int
    /// The requested summary; nil if the query requests the records themselves.
    package var summary: Summary?
    /// The write-only attributes, which are never shown.
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

/// A place among the records of a device, given as a moment and a number of records of that moment to skip.
///
/// Records of the same moment are in the order of arrival, so later records don't move a place.
package struct HistoryPlace: Sendable, Equatable {
    /// The moment.
    package var ts: Instant
    /// The number of records of the moment that come before the place.
    package var skip: Int

    /// Makes a place.
    package init(_ ts: Instant, skip: Int = 0) {
        self.ts = ts
        self.skip = skip
    }

    /// Parses the text of a cursor; returns nil for any other text.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let ts = Int64(parts[0]), let skip = Int(parts[1]), skip >= 0,
            ts.magnitude <= UInt64(Instant.max.milliseconds)
        else { return nil }
        self.init(Instant(milliseconds: ts), skip: skip)
    }

    /// The place as the text of a cursor.
    package var cursor: String { "\(ts.milliseconds).\(skip)" }
}
