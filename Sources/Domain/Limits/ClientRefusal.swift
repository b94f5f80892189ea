/// A record of how often a client's action was refused for the same reason.
package struct ClientRefusal: Sendable, Equatable {
    /// The refused action: `connect`, `publish`, `subscribe` or `receive`.
    package var action: String
    /// The username, empty if unknown, or `?` if it could be a secret that was entered in the wrong field.
    package var username: String
    /// The client's id.
    package var clientID: String
    /// The connection's source address, or empty if the broker doesn't report it.
    package var address: String
    /// The topic or topic filter; nil for `connect`.
    package var topic: String?
    /// The first refusal's detail, such as a page's origin or a TLS fault.
    package var detail: String?
    /// The raw value of a `RefusalReason`, or a word that only newer gates know.
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

    /// The device id in the username, or nil if the client isn't a device.
    ///
    /// There may be no device with this id.
    package var device: DeviceID? { Self.device(named: username) }

    /// Returns the id of the device that a username names, or nil if the username doesn't name a device.
    package static func device(named username: String) -> DeviceID? {
        username.hasPrefix("device:") ? DeviceID(String(username.dropFirst(7))) : nil
    }

    /// A string that is equal for all refusals that are counted together.
    ///
    /// The string contains the hour, so each hour is counted separately. The string doesn't contain the detail.
    package var likeness: String {
        let hour = firstAt.milliseconds / 3_600_000
        // The separator is a control character. No part can contain it, because the gate refuses control characters.
        return [action, username, clientID, address, topic ?? "", reason, "\(hour)"]
            .joined(separator: "\u{1F}")
    }
}
