package import Domain

/// A request to the control worker to send a connected device its waiting commands as soon as a moment has come.
package struct DispatchRequest: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The moment from which the commands can be sent.
    package var at: Instant
    /// The moment up to which sent commands are sent again, because the device may have missed them while it wasn't
    /// connected or subscribed; nil if none is sent again.
    package var sentBefore: Instant?

    /// The longest time by which a request can be in the future, in milliseconds; a request farther in the future was
    /// made before the clock was set back, and its time is ignored.
    static let aheadMilliseconds: Int64 = 60_000

    /// Returns whether the request waits for the device to subscribe.
    package func isAhead(at now: Instant) -> Bool { at > now && at <= now.adding(milliseconds: Self.aheadMilliseconds) }

    /// Makes a request for a device.
    package init(did: DeviceID, at: Instant, sentBefore: Instant? = nil) {
        self.did = did
        self.at = at
        self.sentBefore = sentBefore
    }
}

extension DispatchRequest: TableRow {
    package static let table = Table<DispatchRequest>("dispatch")

    package static func map(_ column: inout ColumnMapper<DispatchRequest>) -> DispatchRequest {
        DispatchRequest(
            did: column("did", \.did, as: .key),
            at: column("at", \.at, as: .changing),
            sentBefore: column("sentBefore", \.sentBefore, as: .changing)
        )
    }
}
