/// A client's refusals by the gate or a listener for one reason, counted.
package struct ClientRefusal: Sendable, Equatable {
    /// The refused action: `connect`, `publish`, `subscribe` or `receive`.
    package var action: String
    /// The client's username; empty if unknown, `?` if it might have been a misplaced secret.
    package var username: String
    /// The client's id.
    package var clientID: String
    /// The source address of the connection; empty if the broker does not report it.
    package var address: String
    /// The topic or filter; nil for `connect`.
    package var topic: String?
    /// What the client showed a listener, or the fault; of several refusals, the first one's.
    package var detail: String?
    /// The reason: the raw value of a `RefusalReason`, or a word of a newer gate.
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

    /// The device that the username names, which need not exist; nil for other clients.
    package var device: DeviceID? { Self.device(named: username) }

    /// Returns the device that a username names; nil for other clients.
    package static func device(named username: String) -> DeviceID? {
        username.hasPrefix("device:") ? DeviceID(String(username.dropFirst(7))) : nil
    }

    /// The key by which refusals are counted together: all but the detail and the time, of which only the hour counts,
    /// so that a list by time stays true.
    package var likeness: String {
        let hour = firstAt.milliseconds / 3_600_000
        // No part can hold the separator: the gate refuses control characters.
        return [action, username, clientID, address, topic ?? "", reason, "\(hour)"]
            .joined(separator: "\u{1F}")
    }
}
