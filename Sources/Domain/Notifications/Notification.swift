package import JSON

/// A message in the message centre, or a hidden record of why the user was not notified.
///
/// The documentation describes the rules for notifications (reference: notifications).
package struct Notification: Sendable, Equatable {
    /// A part of the message centre that users can switch off separately.
    ///
    /// If `system` is switched off, its notifications are still listed, but not pushed.
    package enum Kind: String, Sendable, CaseIterable {
        /// A device has reported something, or has failed to do something.
        case device
        /// Another user has changed who can use a device.
        case home
        /// The user's own account has changed.
        case system
    }

    /// The outcome of a notification.
    package enum Outcome: String, Sendable, CaseIterable {
        /// A push service has accepted the notification for at least one terminal.
        case pushed
        /// The message centre lists the notification. The notification isn't meant to be pushed.
        case shown
        /// The push is waiting for the end of the quiet hours.
        case held
        /// The user's settings exclude the event.
        case off
        /// The event was counted in an earlier notification.
        case collapsed
        /// The terminals have already received the maximum number of pushes in this hour.
        case limited
        /// No push service accepted the notification.
        case failed
        /// No terminal of the user has a push address.
        case noAddress
        /// The app has no credentials for the push services of the terminals.
        case notConfigured
        /// The user is bound to the device, but doesn't get its status.
        case notSubscribed
        /// The outcome is not known yet.
        case pending
    }

    /// The outcome of pushing a notification to one terminal.
    package struct Push: Sendable, Equatable {
        /// The terminal.
        package var terminal: TerminalID
        /// The outcome.
        package var outcome: Outcome
        /// The reason for a failure, in words without secrets.
        package var error: String?
        /// The time of the outcome.
        package var at: Instant

        /// The error of a push that was dropped because the terminal's address was removed.
        package static let dropped =
            "ended: the session or the address ended before the push was sent; the app sets an address after the login"

        /// Makes an outcome.
        package init(_ terminal: TerminalID, _ outcome: Outcome, error: String? = nil, at: Instant) {
            (self.terminal, self.outcome, self.error, self.at) = (terminal, outcome, error, at)
        }
    }

    /// The notification's id.
    package var id: NotificationID
    /// The user.
    package var uid: UserID
    /// The id of the notification's event, unique among the user's notifications.
    package var eventID: String
    /// The part of the message centre that lists the notification.
    package var kind: Kind
    /// The type of the event, or `message` for a message from the maker.
    package var type: String
    /// The device that the notification is about.
    package var did: DeviceID?
    /// A name that is the same for all similar events of a device, such as `fault sensor`.
    ///
    /// The name is empty for an event that is never combined with other events.
    package var subject: String
    /// The title in the user's language; empty in a hidden record.
    package var title = ""
    /// The text in the user's language; empty in a hidden record.
    package var text = ""
    /// Data for the app; empty if the sender gave no data.
    package var data: JSONObject = [:]
    /// The time of the latest event.
    package var ts: Instant
    /// Whether the user has read the notification.
    package var isRead = false
    /// The number of events that the notification counts.
    package var count: Int64 = 1
    /// The time at which the device cleared the alert or fault.
    package var clearedAt: Instant?
    /// Whether this is a hidden record of why the user was not notified.
    package var isHidden = false
    /// The outcome of the notification.
    package var outcome: Outcome = .pending
    /// The reason for the outcome, which determines the sentence in the answer to `notification/explain`.
    package var why: NotificationReason
    /// The notification that counts this record's event, or nil if the outcome isn't `collapsed`.
    package var countedIn: NotificationID?
    /// The outcomes of the pushes, one for each terminal.
    package var pushes: [Push] = []
    /// The time of the notifier's next decision, or nil if the decision is final.
    package var dueAt: Instant?

    /// Makes a notification about an event.
    package init(
        id: NotificationID,
        uid: UserID,
        eventID: String,
        kind: Kind,
        type: String,
        did: DeviceID? = nil,
        subject: String = "",
        ts: Instant,
        why: NotificationReason = .waits
    ) {
        self.id = id
        self.uid = uid
        self.eventID = eventID
        self.kind = kind
        self.type = type
        self.did = did
        self.subject = subject
        self.ts = ts
        self.why = why
    }

    /// The period within which similar events of a device are combined into one notification, in seconds.
    package static let collapseSeconds: Int64 = 600
    /// The type of a message from the maker.
    package static let messageType = "message"

    /// Turns this notification into a hidden record of why the user is not notified.
    package mutating func hide(_ outcome: Outcome, _ why: NotificationReason) {
        (isHidden, self.outcome, self.why) = (true, outcome, why)
    }

    /// Records the outcome of a push to one terminal, and derives the notification's outcome from all pushes.
    package mutating func note(_ push: Push) {
        pushes.removeAll { $0.terminal == push.terminal }
        pushes.append(push)
        let order: [(Outcome, NotificationReason)] = [
            (.pending, .waits), (.pushed, .pushed), (.failed, .failed), (.limited, .limited),
            (.notConfigured, .notConfigured), (.noAddress, .noAddress),
        ]
        let found = order.first { outcome, _ in pushes.contains { $0.outcome == outcome } }
        if let found { (outcome, why) = found }
    }
}

/// The reason for a notification's outcome.
///
/// `notification/explain` returns the reason as a sentence, followed by the remedy, if there is one.
package enum NotificationReason: String, Sendable, CaseIterable {
    case waits, pushed, failed, limited, notConfigured, noAddress, notSubscribed, unbound, quiet, collapsed
    case mightReturn, returned, kindOff, deviceOff, offlineOff, systemOff, ownLogin, readMeanwhile

    /// The reason as a sentence, followed by a remedy if a remedy exists.
    package var sentence: String { Self.sentences[self] ?? "" }

    private static let sentences: [Self: String] = [
        .waits: "The push is on its way, or is tried again after the error of its terminal. Ask again in a minute.",
        .pushed: "A push service has accepted the push. If it isn't shown, check the phone's own settings.",
        .failed: "No push service has accepted the push. See the error of each terminal.",
        .limited:
            "The terminal had received 60 pushes within an hour. After the hour, one push says how many were left out.",
        .notConfigured:
            "The app has no credentials for the push service. The maker adds them to `push` in the app's document.",
        .noAddress: "No terminal has a push address. The app calls notification/setPush after each login.",
        .notSubscribed: "The user isn't subscribed to the device. The app calls device/subscribe.",
        .unbound: "The user was no longer bound to the device. Bind it again with device/bind.",
        .quiet: "The push waits for the end of the quiet hours. Change `quiet` with notification/settings.",
        .collapsed:
            "A notification less than 10 minutes old counts this event. A similar event after that is notified again.",
        .mightReturn:
            "The device has not been offline for `offlineMinutes` yet. Lower it with notification/settings.",
        .returned: "The device was online again in less than `offlineMinutes`. Lower it with notification/settings.",
        .kindOff: "Notifications of this kind were switched off. Switch them on with notification/settings.",
        .deviceOff:
            "Notifications of this device were switched off. Switch them on in `dids` of notification/settings.",
        .offlineOff: "`offlineMinutes` was 0. Set it with notification/settings to hear of devices that are offline.",
        .systemOff: "Pushes about the account were switched off. Switch `system` on with notification/settings.",
        .ownLogin: "Only the terminal that logged in has a push address. Call notification/setPush on the others, too.",
        .readMeanwhile: "It was read before the end of the quiet hours. Change `quiet` with notification/settings.",
    ]
}
