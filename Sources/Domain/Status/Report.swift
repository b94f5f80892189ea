package import JSON

/// The attributes, alerts and faults that a device reports in one message.
///
/// The documentation describes these rules (reference: reports#acknowledged).
package struct Report: Sendable, Equatable {
    /// The values of a device's attributes at one moment.
    package struct Point: Sendable, Equatable {
        /// The time by the device's clock, or nil if the point has no time of its own.
        package var ts: Instant?
        /// The attributes and their values.
        package var data: JSONObject

        /// Makes a point.
        package init(ts: Instant?, data: JSONObject) {
            (self.ts, self.data) = (ts, data)
        }
    }

    /// The place where an accepted report was stored, which is also named in the answer to the device.
    package enum Stored: String, Sendable, CaseIterable {
        /// The report was stored in the state, because some part is new enough.
        ///
        /// This value is also used if a report contains nothing to store.
        case state
        /// The report was stored only in the history, because all its parts are binary data or older than the state.
        case history
        /// The report was not stored, because it repeats a report that has taken effect.
        case `repeat`
    }

    /// The report's id, which is used to recognise and ignore a repeated report.
    package var id: MessageID?
    /// The time by the device's clock, or nil if the report as a whole has no time.
    ///
    /// If the time is nil, the time of arrival is used. Points with their own times keep these times.
    package var ts: Instant?
    /// The number of the command that the report answers.
    package var cid: Int64?
    /// The command's result: 0 for success, or the device's own error code.
    package var code: Int64?
    /// The points with the reported values; only a report of stored history can have several points.
    package var points: [Point]
    /// The alerts that the report raises or clears.
    package var alerts: [Condition]
    /// The faults that the report raises or clears.
    package var faults: [Condition]
    /// The device's binary data, as base64 text.
    package var binary: String?

    /// Makes a report.
    package init(
        id: MessageID? = nil,
        ts: Instant? = nil,
        cid: Int64? = nil,
        code: Int64? = nil,
        points: [Point] = [],
        alerts: [Condition] = [],
        faults: [Condition] = [],
        binary: String? = nil
    ) {
        self.id = id
        self.ts = ts
        self.cid = cid
        self.code = code
        self.points = points
        self.alerts = alerts
        self.faults = faults
        self.binary = binary
    }

    /// Whether the report contains the values of one moment and nothing else.
    package var isDataOnly: Bool {
        points.count == 1 && cid == nil && binary == nil && alerts.isEmpty && faults.isEmpty
    }

    /// Whether the report contains stored history, in which each point has its own time.
    package var isBatch: Bool { ts == nil && points.first?.ts != nil }

    /// The maximum number of points of stored history in one report.
    package static let pointsMax = 500
    /// The maximum number of seconds by which a report's time can be ahead of the current time.
    ///
    /// For a later time, the time of arrival is used instead.
    package static let aheadMaxSeconds: Int64 = 600
    /// The earliest time that a report may give: the beginning of 2015.
    ///
    /// No device existed before 2015. An earlier time can also mean that the device gave seconds instead of
    /// milliseconds.
    package static let earliest = Instant(milliseconds: 1_420_070_400_000)
}
