package import Domain

/// A request to send a connected device its waiting commands after a given moment.
package struct DispatchRequest: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The moment from which the commands can be sent.
    package var at: Instant
    /// Commands sent up to this moment may have been missed, and are sent again.
    package var sentBefore: Instant?

    /// The longest time that a request can wait, in milliseconds.
    ///
    /// If a request's time is further in the future than this, the clock was set back after the request was stored. The
    /// request's time is then ignored.
    static let aheadMilliseconds: Int64 = 60_000

    /// Returns whether the request waits for the device to subscribe.
    package func isAhead(at now: Instant) -> Bool { at > now && at <= now.adding(milliseconds: Self.aheadMilliseconds) }

    /// Creates a dispatch request for a device.
    package init(did: DeviceID, at: Instant, sentBefore: Instant? = nil) {
        (self.did, self.at, self.sentBefore) = (did, at, sentBefore)
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
