/// A query of a device's history.
package struct HistoryQuestion: Sendable {
    /// The requested summary: the length of a time step, and the function that summarises the values of each step.
    ///
    /// `timezone` is the IANA time zone in which steps of days, weeks and months begin.
    package typealias Summary = (step: TimeStep, function: SummaryFunction, timezone: String)

    /// The device whose history is queried.
    package var did: DeviceID
    /// The requested attribute; nil for all attributes.
    package var attribute: String?
    /// The position in the history at which the requested period begins.
    package var place: HistoryPlace
    /// The end of the requested period, exclusive.
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

/// A position in the history: a moment, and the number of records of that moment that come before the position.
///
/// Records of the same moment keep their order of arrival. New records therefore don't change an old record's position.
package struct HistoryPlace: Sendable, Equatable {
    /// The moment.
    package var ts: Instant
    /// How many records of the moment `ts` come before the position.
    package var skip: Int

    /// Makes a position.
    package init(_ ts: Instant, skip: Int = 0) {
        (self.ts, self.skip) = (ts, skip)
    }

    /// Parses a cursor's text, or returns nil for any other string.
    package init?(cursor: String) {
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let ts = Int64(parts[0]), let skip = Int(parts[1]), skip >= 0,
            ts.magnitude <= UInt64(Instant.max.milliseconds)
        else { return nil }
        self.init(Instant(milliseconds: ts), skip: skip)
    }

    /// The position as the text of a cursor.
    package var cursor: String { "\(ts.milliseconds).\(skip)" }
}
