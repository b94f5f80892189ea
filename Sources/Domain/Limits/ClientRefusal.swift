/// A record of how often the gate or a listener has refused the same action of a client for the same reason.
package struct ClientRefusal: Sendable, Equatable {
    /// The refused action: `connect`, `publish`, `subscribe` or `receive`.
    package var action: String
    /// The client's username; empty if unknown, or `?` if the username could be a secret that was entered in the wrong
    /// field.
    package var username: String
    /// The client's id.
    package var clientID: String
    /// The source address of the connection; empty if the broker does not report it.
    package var address: String
    /// The topic or topic filter; nil for `connect`.
    package var topic: String?
    /// The detail of the first refusal, such as the origin of the client's page or the fault of a TLS handshake.
    package var detail: String?
    /// The reason: the raw value of a `RefusalReason`, or a word that only a newer gate knows.
    package var reason: String
    /// The time of the first refusal.
    package var firstAt: Instant
    /// The time of the last refusal.
    package var lastAt: Instant
    /// The number of refusals.
    package var times: Int64 = 1

    /// Makes a refusal.
    package init(
        action: String,
        username: String,
        clientID: String,
        address: String,
        topic: String?,
        reason: String,
        at moment: Instant
    ) {
        self.action = action
        self.username = username
        self.clientID = clientID
        self.address = address
        self.topic = topic
        self.reason = reason
        firstAt = moment
        lastAt = moment
    }

    /// The device that the username names, even if there is no such device; nil for clients that aren't devices.
    package var device: DeviceID? { Self.device(named: username) }

    /// Returns the device that a username names; nil for usernames of other clients.
    package static func device(named username: String) -> DeviceID? {
        username.hasPrefix("device:") ? DeviceID(String(username.dropFirst(7))) : nil
    }

    /// The key for counting refusals; refusals with the same key are counted together.
    ///
    /// The key contains the hour, so refusals in different hours are counted separately; the key doesn't contain the
    /// detail.
    package var likeness: String {
        let hour = firstAt.milliseconds / 3_600_000
        // The separator is a control character. No part can contain it, because the gate refuses control characters.
        return [action, username, clientID, address, topic ?? "", reason, "\(hour)"]
            .joined(separator: "\u{1F}")
    }
}
