package import Domain

/// A request that makes the control worker send waiting commands to a connected device, once a given moment has come.
package struct DispatchRequest: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// The moment from which the commands can be sent.
    package var at: Instant
    /// Commands that were sent up to this moment are sent again, because the device may have missed them.
    package var sentBefore: Instant?

    /// How many milliseconds a request can wait.
    ///
    /// If the time of a request is further in the future, the time is ignored, because the clock must have been set
    /// back after the request was stored.
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
