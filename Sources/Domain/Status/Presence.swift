/// A device's connection state, as reported by the gate and by the device.
///
/// The documentation describes these rules (reference: presence#birth).
package struct Presence: Sendable, Equatable {
    /// The state that users see.
    package var isOnline = false
    /// The number of the newest connection that the gate reported, initially 0.
    package var connection: Int64 = 0
    /// Whether the newest connection is alive, as far as the gate has reported.
    package var isAlive = false
    /// The session name that the device chose, taken from its latest birth message.
    package var session: String?
    /// The time at which the device last came online or went offline.
    package var lastSeenAt: Instant?
    /// The time from which the newest connection is presumed to receive commands.
    ///
    /// The time is nil until the gate reports a connection. It becomes nil again when the gate reports that the
    /// connection can receive commands.
    package var listensFrom: Instant?

    /// Makes the presence of a device that has never connected.
    package init() {}

    /// Returns the time until which commands to the device can get lost, or nil if they can't get lost now.
    ///
    /// Until this time, the device might not have subscribed yet. If `listensFrom` is more than `seconds` in the
    /// future, the clock has been set back. The result is then nil.
    package func unheard(at now: Instant, within seconds: Int64) -> Instant? {
        guard let listensFrom, now < listensFrom, listensFrom <= now.adding(seconds: seconds) else { return nil }
        return listensFrom
    }
}

/// A signal about a device's presence.
package enum PresenceSignal: Sendable, Equatable {
    /// The gate reported that a connection began.
    case connected(connection: Int64)
    /// The gate reported that the connection can now receive commands.
    case listening(connection: Int64)
    /// The gate reported that a connection ended.
    case disconnected(connection: Int64, reason: String)
    /// The device sent its birth message.
    case birth(session: String?)
    /// The broker sent the device's last will, or the device itself sent a message with the same content.
    case will(session: String?)
    /// The broker has restarted, and since then the gate has not reported the device as connected.
    case notAnnounced
}

/// The rules of presence.
///
/// The gate's reports have an effect only if they are about the newest connection. While that connection is alive, the
/// device's own messages don't change whether the device is online.
package enum PresenceRules {
    /// A change of presence that is published to users.
    package struct Change: Sendable, Equatable {
        /// Whether the device is now online.
        package var isOnline: Bool
        /// The reason for going offline.
        package var reason: String?
    }

    /// Applies a signal to a device's presence, and returns the change that users see, or nil for no change.
    ///
    /// A new connection is presumed to receive commands after `silence` seconds, even if the gate hasn't reported that
    /// the device has subscribed.
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
            // The device has already connected again, and the gate will report the new connection next.
            if why == "takenOver" { return nil }
            presence.isAlive = false
            presence.isOnline = false
            reason = why
        case .birth(let session):
            presence.session = session
            // Once the gate has reported a connection, only the gate's reports bring the device online. What looks like
            // a birth message could be a delayed last will, because a device may give both messages the same content.
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
