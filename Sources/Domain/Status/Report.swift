package import JSON

/// The attributes, alerts and faults that a device reports in one message.
///
/// The rules in words (reference: reports#acknowledged).
package struct Report: Sendable, Equatable {
    /// Values at one moment.
    package struct Point: Sendable, Equatable {
        /// The time by the device's clock; nil if the time of arrival counts.
        package var ts: Instant?
        /// The attributes and their values.
        package var data: JSONObject

        /// Makes a point.
        package init(ts: Instant?, data: JSONObject) {
            self.ts = ts
            self.data = data
        }
    }

    /// The place where an accepted report was stored, as published to its device.
    package enum Stored: String, Sendable, CaseIterable {
        /// The state: some of it is newer than the previous state, or it holds nothing to keep.
        case state
        /// The history alone: all of it is older than the state, or it is binary data.
        case history
        /// Nowhere: the report had its effect before.
        case `repeat`
    }

    /// The id under which the report takes effect once.
    package var id: MessageID?
    /// The time by the device's clock; nil for the arrival.
    package var ts: Instant?
    /// The command that the report answers.
    package var cid: Int64?
    /// The command's result: 0 is success, anything else the device's own error.
    package var code: Int64?
    /// The values; several points when the device sends stored history.
    package var points: [Point]
    /// Alerts raised or cleared.
    package var alerts: [Condition]
    /// Faults raised or cleared.
    package var faults: [Condition]
    /// The device's own bytes, as base64 text.
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

    /// Whether the report holds the values of one moment and nothing else.
    package var isDataOnly: Bool {
        points.count == 1 && cid == nil && binary == nil && alerts.isEmpty && faults.isEmpty
    }

    /// Whether the report brings stored history, of however many moments, each with its own time.
    package var isBatch: Bool { ts == nil && points.first?.ts != nil }

    /// The maximum number of points of stored history in one report.
    package static let pointsMax = 500
    /// The seconds by which a device's time may be ahead before its arrival counts instead.
    package static let aheadMaxSeconds: Int64 = 600
    /// The earliest time that a device may give: the beginning of 2015.
    ///
    /// No device existed before. The present time in seconds, taken for milliseconds, lies before this limit until the
    /// year 46,970.
    package static let earliest = Instant(milliseconds: 1_420_070_400_000)
}
