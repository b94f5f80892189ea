package import Domain

/// Word to the control worker that a device is there, and from when on it is to be sent what waits.
package struct CommandCall: Sendable, Equatable {
    /// The device.
    package var did: DeviceID
    /// From when on.
    package var at: Instant
    /// What was sent by this moment goes out once more, since the device has come anew or listens anew, or did
    /// not listen yet; nil where none is so.
    package var sentBefore: Instant?

    /// No call lies so far ahead, in milliseconds, unless the clock was set back: one that does holds nothing
    /// back.
    static let aheadMilliseconds: Int64 = 60_000

    /// Whether it waits for the device to listen.
    package func isAhead(at now: Instant) -> Bool {
        at > now && at <= now.adding(milliseconds: Self.aheadMilliseconds)
    }

    /// Calls for a device.
    package init(did: DeviceID, at: Instant, sentBefore: Instant? = nil) {
        self.did = did
        self.at = at
        self.sentBefore = sentBefore
    }
}
