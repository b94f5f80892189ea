/// A kind of push service.
package enum PushKind: String, Sendable, CaseIterable {
    case fcm, apns, webpush, gateway
}

/// The address at which a push service reaches a terminal.
package struct PushAddress: Sendable, Equatable {
    /// The terminal, which has at most one push address.
    package var terminal: TerminalID
    /// The user who is logged in on the terminal.
    package var uid: UserID
    /// The app.
    package var app: AppID
    /// The kind of push service.
    package var kind: PushKind
    /// The address from the push service: a registration token, or a Web Push URL.
    package var address: String
    /// The terminal's keys for Web Push, in base64url.
    package var keys: Keys?
    /// Whether the address belongs to the push service's test environment.
    package var isSandbox = false
    /// The time at which the terminal set the address.
    package var since: Instant
    /// The time at which the push service last accepted a push.
    package var lastOKAt: Instant?
    /// The error of the last push; nil if that push succeeded.
    package var error: String?
    /// The beginning of the hour in which pushes are counted.
    package var countedFrom: Instant
    /// The number of pushes in the hour that began at `countedFrom`.
    package var pushes: Int64 = 0
    /// The number of notifications that were left out because of the limit and haven't been reported in a push yet.
    package var leftOut: Int64 = 0

    /// The keys with which a message for Web Push is encrypted.
    package struct Keys: Sendable, Equatable {
        /// The terminal's public key, and the shared secret.
        package var (p256dh, auth): (String, String)

        /// Makes keys from strings.
        package init(p256dh: String, auth: String) { (self.p256dh, self.auth) = (p256dh, auth) }
    }

    /// Makes a new address.
    package init(
        _ address: String,
        kind: PushKind,
        keys: Keys?,
        isSandbox: Bool,
        at terminal: TerminalID,
        of uid: UserID,
        app: AppID,
        since: Instant
    ) {
        self.address = address
        self.kind = kind
        self.keys = keys
        self.isSandbox = isSandbox
        self.since = since
        self.terminal = terminal
        self.uid = uid
        self.app = app
        countedFrom = since
    }

    /// The maximum size of an address, in bytes.
    package static let addressMax = 1_024
    /// The maximum number of pushes to a terminal in an hour.
    package static let perHourMax: Int64 = 60
    /// The length of an hour, in milliseconds.
    package static let hour: Int64 = 3_600_000

    /// The time at which a push reports the number of left-out notifications, or nil if that number is 0.
    package var summaryAt: Instant? {
        leftOut > 0 ? Instant(milliseconds: countedFrom.milliseconds + Self.hour) : nil
    }

    /// Counts a push, or returns false if the hour's limit is already reached.
    ///
    /// If the limit is reached, the notification is counted as left out.
    package mutating func mayPush(at now: Instant) -> Bool {
        if !(0..<Self.hour).contains(now.milliseconds - countedFrom.milliseconds) { (countedFrom, pushes) = (now, 0) }
        guard pushes < Self.perHourMax else {
            leftOut += 1
            return false
        }
        pushes += 1
        return true
    }
}

/// The address and the content of a push to one terminal.
package struct OutgoingPush: Sendable, Equatable {
    /// The address and its terminal.
    package var address: PushAddress
    /// The notification, or nil for a test push or a push about left-out notifications.
    package var notification: NotificationID?
    /// The content as JSON.
    package var payload: [UInt8]

    /// Makes a push.
    package init(to address: PushAddress, of notification: NotificationID?, payload: [UInt8]) {
        (self.address, self.notification, self.payload) = (address, notification, payload)
    }
}

/// The outcome of an attempt to send a push.
package enum PushEnd: Sendable, Equatable {
    /// The push service has accepted the push.
    case sent
    /// The push service doesn't know the address any more.
    case gone
    /// The push service has refused the push, or could not be reached.
    case failed(String)
    /// The app has no credentials for the push service.
    case notConfigured
}
