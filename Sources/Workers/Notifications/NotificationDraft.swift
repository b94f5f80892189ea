import Domain
import Storage
import Wire

/// A notification for one user, before the user's settings are applied.
struct NotificationDraft {
    /// The user.
    var uid: UserID
    /// The id of the event, about which each user gets at most one notification.
    var eventID: String
    /// The part of the message centre to which the notification belongs.
    var kind: Notification.Kind
    /// The type of the event.
    var type: String
    /// The device.
    var did: DeviceID?
    /// The name shared by a device's similar events, or empty if events aren't combined.
    var subject = ""
    /// The variant of the text.
    var variant = ""
    /// The values for the placeholders in the text.
    var values: [String: String] = [:]
    /// The time of the event.
    var ts: Instant
    /// The user's name for the device, or empty if there is no such name.
    var alias = ""
    /// Whether the user is subscribed to the device.
    var isSubscribed = true
    /// The maker's text, or nil for a text of the service or the app.
    var given: NotificationText?
    /// Data for the app.
    var data = AnswerCodec.nothing
    /// The terminal that caused the event; it gets no push.
    var spared: TerminalID?

    /// The subject of the notifications that say that a device is offline.
    static let offline = "offline"

    /// Returns the notification before the user's settings are applied.
    func note(_ id: String) -> Notification {
        Notification(
            id: NotificationID(trusted: id),
            uid: uid,
            eventID: eventID,
            kind: kind,
            type: type,
            did: did,
            subject: subject,
            ts: ts
        )
    }
}

/// A logged event that causes or clears users' notifications.
struct NotifiedEvent {
    /// How an event changes users' notifications.
    enum Effect {
        /// Users are notified.
        case tell
        /// A condition has ended; users were notified when it began.
        case clear
    }

    /// The users whom an event concerns.
    enum Audience {
        /// The users, of one app or of all apps, who are bound to the device.
        case bound(DeviceID, AppID? = nil)
        /// The users who have an uncleared notification about the device and subject.
        case holders(DeviceID, String)
        /// One user.
        case user(UserID)
    }

    /// The position in the event log directly after the event.
    var id: EventCursor
    var effect = Effect.tell
    var audience: Audience
    /// The notification without its user.
    var draft: NotificationDraft

    /// Returns the notified event for a log entry, or nil if the entry changes no user's notifications.
    ///
    /// `earlier` contains the earlier events that have not been handled yet.
    static func of(
        _ event: LoggedEvent,
        _ id: EventCursor,
        after earlier: [NotifiedEvent],
        in tx: Transaction
    ) throws -> NotifiedEvent? {
        let source = Source(event: event, id: id, details: EventDetails(event))
        switch event.type {
        case .deviceAlert, .deviceFault, .deviceAlertCleared, .deviceFaultCleared, .deviceOffline, .deviceOnline:
            return try ofDevice(source, after: earlier, in: tx)
        case .deviceUnbound, .deviceRoleChanged: return ofRole(source)
        case .shareChanged: return try ofSharing(source, in: tx)
        case .scheduleRun: return try ofRun(source, in: tx)
        case .sessionStarted, .accountChanged: return try ofAccount(source, in: tx)
        case .notificationSent: return ofMessage(source)
        default: return nil
        }
    }

    /// An entry of the event log, with the entry's data and the position after the entry.
    private struct Source {
        let event: LoggedEvent
        let id: EventCursor
        let details: EventDetails
    }

    private init(_ source: Source, _ kind: Notification.Kind, for audience: Audience) {
        (id, self.audience) = (source.id, audience)
        draft = NotificationDraft(
            uid: UserID(trusted: ""),
            eventID: id.text,
            kind: kind,
            type: source.event.type.rawValue,
            did: source.event.did,
            ts: source.event.ts
        )
    }

    private static func ofDevice(
        _ source: Source,
        after earlier: [NotifiedEvent],
        in tx: Transaction
    ) throws -> NotifiedEvent? {
        let (type, details) = (source.event.type, source.details)
        guard let did = source.event.did else { return nil }
        var notified = NotifiedEvent(source, .device, for: .bound(did))
        let subject =
            switch type {
            case .deviceAlert, .deviceAlertCleared: "alert \(details.name)"
            case .deviceFault, .deviceFaultCleared: "fault \(details.name)"
            default: NotificationDraft.offline
            }
        (notified.draft.subject, notified.draft.variant) = (subject, details.name)
        (notified.draft.values["name"], notified.draft.values["value"]) = (details.name, details.value)
        guard type == .deviceAlertCleared || type == .deviceFaultCleared || type == .deviceOnline else {
            return notified
        }
        (notified.effect, notified.audience) = (.clear, .holders(did, subject))
        // Usually, nobody was notified that the device went offline, so there is nothing to clear.
        let isAwaited = earlier.contains { $0.draft.did == did && $0.draft.subject == subject }
        let isHeld = try isAwaited || !tx.notifications.holders(of: did, subject, after: "", limit: 1).isEmpty
        return isHeld ? notified : nil
    }

    private static func ofRole(_ source: Source) -> NotifiedEvent? {
        let (event, role) = (source.event, source.details.role)
        // A user who becomes a special user or an owner is not notified, because the user loses no rights.
        guard let uid = event.uid, event.actor?.kind != .user || event.actor?.id != uid.text, role?.isPrincipal != true
        else { return nil }
        var notified = NotifiedEvent(source, .home, for: .user(uid))
        notified.draft.variant = source.details.reason
        notified.draft.values["role"] = role?.rawValue
        return notified
    }

    /// Makes a notification about an invitation, for the guest or the inviter.
    ///
    /// Offers and withdrawals are for the guest. Other changes, such as the guest's answer, are for the inviter.
    private static func ofSharing(_ source: Source, in tx: Transaction) throws -> NotifiedEvent? {
        guard let (id, status) = source.details.sharing, let sharing = try tx.sharings.find(id) else { return nil }
        let isForGuest = status == .pending || status == .revoked
        // If the guest and the inviter use different apps, the event is logged once for each app. Only the log entry
        // for the recipient's app causes a notification.
        guard let uid = isForGuest ? sharing.guest : sharing.inviter,
            try tx.accounts.find(uid)?.app == source.event.app
        else { return nil }
        var notified = NotifiedEvent(source, .home, for: .user(uid))
        notified.draft.variant = status.rawValue
        notified.draft.data = EventDetails.data("sharingId", id.text)
        return notified
    }

    private static func ofMessage(_ source: Source) -> NotifiedEvent? {
        let (event, message) = (source.event, source.details.message)
        guard let audience = event.uid.map(Audience.user) ?? event.did.map({ .bound($0, event.app) }) else {
            return nil
        }
        var notified = NotifiedEvent(source, message.kind, for: audience)
        notified.draft.type = Notification.messageType
        (notified.draft.given, notified.draft.data) = (message.text, message.data)
        return notified
    }

    private static func ofRun(_ source: Source, in tx: Transaction) throws -> NotifiedEvent? {
        let id = ScheduleID(trusted: source.details.name)
        guard let state = source.details.runState, state != ScheduleRun.State.done.rawValue,
            let schedule = try tx.schedules.find(id)
        else { return nil }
        var notified = NotifiedEvent(source, .device, for: .user(schedule.creator))
        (notified.draft.subject, notified.draft.variant) = ("schedule \(id.text)", state)
        notified.draft.data = EventDetails.data("scheduleId", id.text)
        return notified
    }

    private static func ofAccount(_ source: Source, in tx: Transaction) throws -> NotifiedEvent? {
        let (event, details) = (source.event, source.details)
        guard let uid = event.uid else { return nil }
        var notified = NotifiedEvent(source, .system, for: .user(uid))
        notified.draft.spared = details.terminal
        guard event.type == .sessionStarted else {
            guard let changed = details.changed else { return nil }
            notified.draft.variant = changed
            return notified
        }
        guard try tx.sessions.live(of: uid).contains(where: { $0.terminal != notified.draft.spared }) else {
            return nil
        }
        notified.draft.values["name"] = details.system
        return notified
    }
}
