/// A client's refusals by the gate for one reason, counted.
package struct GateRefusal: Sendable, Equatable {
    /// What was tried: `connect`, `publish`, `subscribe` or `receive`.
    package var action: String
    /// The name that was given; `?` where it might have been a secret in the wrong field.
    package var username: String
    /// The client id that was given.
    package var clientID: String
    /// Where the connection comes from.
    package var address: String
    /// The topic or filter; nil for `connect`.
    package var topic: String?
    /// Why: the raw value of a `RefusalReason`, or a later gate's word.
    package var reason: String
    /// When it was refused first.
    package var firstAt: Instant
    /// When it was refused last.
    package var lastAt: Instant
    /// How often in between.
    package var times: Int64 = 1

    /// Puts a refusal together.
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

    /// What makes two refusals one: all but the time, and the hour, so that a list by time stays true.
    package var likeness: String {
        let hour = firstAt.milliseconds / 3_600_000
        // None of them can hold what separates them: the gate lets no control characters in.
        return [action, username, clientID, address, topic ?? "", reason, "\(hour)"]
            .joined(separator: "\u{1F}")
    }
}
