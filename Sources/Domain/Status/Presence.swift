/// A device's connection state, as the gate and the device report it.
///
/// The rules in words (reference: presence#birth).
package struct Presence: Sendable, Equatable {
    /// The state that users see.
    package var isOnline = false
    /// The number of the newest connection that the gate reported; 0 before the first.
    package var connection: Int64 = 0
    /// Whether the gate knows that connection to be alive.
    package var isAlive = false
    /// The device's own name for its present run, from its birth message.
    package var session: String?
    /// The time at which the device last came online or went offline.
    package var lastSeenAt: Instant?
    /// The time at which the newest connection is presumed to receive commands, unless the gate sees it subscribe
    /// before; nil if the connection is known to receive them, or there was no new connection.
    package var listensFrom: Instant?

    /// Makes the presence of a device that has never connected.
    package init() {}

    /// Returns the time until which commands may get lost, because the new connection may not have subscribed yet; nil
    /// if none can.
    ///
    /// A time farther ahead than `seconds` was set before the clock was set back, and is ignored.
    package func unheard(at now: Instant, within seconds: Int64) -> Instant? {
        guard let listensFrom, now < listensFrom, listensFrom <= now.adding(seconds: seconds) else { return nil }
        return listensFrom
    }
}

/// A signal about a device's presence.
package enum PresenceSignal: Sendable, Equatable {
    /// The gate saw a connection begin.
    case connected(connection: Int64)
    /// The gate saw that the connection now receives commands.
    case listening(connection: Int64)
    /// The gate saw a connection end.
    case disconnected(connection: Int64, reason: String)
    /// The device's birth message.
    case birth(session: String?)
    /// The device's last will, or its own message before disconnecting.
    case will(session: String?)
    /// A restarted broker did not announce the device.
    case notAnnounced
}

/// The rules of presence.
///
/// A connection that isn't the newest changes nothing. While the gate knows a live one, the device's own messages don't
/// change whether it is online.
package enum PresenceRules {
    /// A change that is published to users.
    package struct Change: Sendable, Equatable {
        /// The new state.
        package var isOnline: Bool
        /// The reason for going offline.
        package var reason: String?
    }

    /// Applies a signal; returns the change that users see, if any.
    ///
    /// A new connection is presumed to receive commands after `silence` seconds, even without the gate's report.
    package static func decide(
        _ signal: PresenceSignal,
        presence: inout Presence,
        silence: Int64,
        at now: Instant
    ) -> Change? {
        let before = presence.isOnline
        var reason: String?
        switch signal {
        case .connected(let connection):
            guard connection >= presence.connection else { return nil }
            if connection > presence.connection { presence.listensFrom = now.adding(seconds: silence) }
            connect(connection, &presence)
        case .listening(let connection):
            guard connection >= presence.connection else { return nil }
            presence.listensFrom = nil
            connect(connection, &presence)
        case .disconnected(let connection, let why):
            guard connection >= presence.connection else { return nil }
            presence.connection = connection
            // The device is already back: the gate reports its new connection next.
            if why == "takenOver" { return nil }
            presence.isAlive = false
            presence.isOnline = false
            reason = why
        case .birth(let session):
            presence.session = session
            // A will that the broker publishes late may look like a birth: if there is a gate, only its reports count.
            guard presence.isAlive || presence.connection == 0 else { return nil }
            presence.isOnline = true
        case .will(let session):
            guard !presence.isAlive, session == nil || session == presence.session else { return nil }
            presence.isOnline = false
            reason = "lost"
        case .notAnnounced:
            presence.isAlive = false
            presence.isOnline = false
            reason = "lost"
        }
        guard presence.isOnline != before else { return nil }
        presence.lastSeenAt = now
        return Change(isOnline: presence.isOnline, reason: reason)
    }

    private static func connect(_ connection: Int64, _ presence: inout Presence) {
        presence.connection = connection
        presence.isAlive = true
        presence.isOnline = true
    }
}
