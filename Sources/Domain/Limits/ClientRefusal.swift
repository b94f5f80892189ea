/// A client's refusals by the gate or a listener for one reason, counted.
package struct ClientRefusal: Sendable, Equatable {
    /// The refused action: `connect`, `publish`, `subscribe` or `receive`.
    package var action: String
    /// The client's username, empty where it is not known; `?` where it might have been a secret in the wrong field.
    package var username: String
    /// The client's id.
    package var clientID: String
    /// The source address of the connection; empty where the broker does not say it.
    package var address: String
    /// The topic or filter; nil for `connect`.
    package var topic: String?
    /// What the client of a listener showed, or what was wrong with it; of alike ones that of the first.
    package var detail: String?
    /// The reason: the raw value of a `RefusalReason`, or a later gate's word.
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

    /// The key by which refusals are counted together: all but the time and the detail, and the hour, so that a list
    /// by time stays true.
    package var likeness: String {
        let hour = firstAt.milliseconds / 3_600_000
        // None of them can hold what separates them: the gate lets no control characters in.
        return [action, username, clientID, address, topic ?? "", reason, "\(hour)"]
            .joined(separator: "\u{1F}")
    }
}
