package import Domain

/// A request to the control worker to send a connected device its waiting commands, from a moment on.
package struct DispatchRequest: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// When sending may begin.
    package var at: Instant
    /// Commands sent by this moment are sent again, because the device has reconnected, resubscribed or not yet
    /// subscribed; nil if no command is affected.
    package var sentBefore: Instant?

    /// The farthest that a request can lie ahead, in milliseconds; one farther ahead comes from a clock that was set
    /// back, and is ignored.
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
