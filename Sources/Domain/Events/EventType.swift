/// A type of entry in the event log, listed in `schemas/messages/event.schema.json`.
package enum EventType: String, Sendable, CaseIterable {
    case deviceRegistered = "device.registered"
    case deviceOnline = "device.online"
    case deviceOffline = "device.offline"
    case deviceAlert = "device.alert"
    case deviceAlertCleared = "device.alertCleared"
    case deviceFault = "device.fault"
    case deviceFaultCleared = "device.faultCleared"
    case deviceBound = "device.bound"
    case deviceUnbound = "device.unbound"
    case deviceRoleChanged = "device.roleChanged"
    case deviceCommand = "device.command"
    case deviceHistoryLimited = "device.historyLimited"
    case deviceStatus = "device.status"
    case shareChanged = "share.changed"
    case scheduleRun = "schedule.run"
    case accountCreated = "account.created"
    case accountChanged = "account.changed"
    case accountDeleted = "account.deleted"
    case sessionStarted = "session.started"
    case sessionEnded = "session.ended"
    case messageFailed = "message.failed"
    case notificationSent = "notification.sent"
    /// An unstored entry that tells a reader that some requested entries were deleted.
    case gap = "events.gap"

    /// Makes the entry type for a device's event, or returns nil if events of this type aren't logged.
    package init?(_ event: Event) {
        self.init(rawValue: event.type == "scheduleRun" ? Self.scheduleRun.rawValue : "device.\(event.type)")
    }

    /// The types of entries about which users can be notified.
    package static let notified: Set<Self> = [
        .deviceAlert, .deviceFault, .deviceAlertCleared, .deviceFaultCleared, .deviceOffline, .deviceOnline,
        .deviceUnbound, .deviceRoleChanged, .shareChanged, .scheduleRun, .sessionStarted, .accountChanged,
        .notificationSent,
    ]

    /// The types that a reader can request.
    package static let readable = allCases.filter { $0 != .gap }

    /// True for very frequent entries, which are stored separately and only while a reader wants them.
    package var isBulk: Bool { self == .deviceStatus }

    /// True for entries about a user, which only the user's own app can see.
    package var isOfUser: Bool { !rawValue.hasPrefix("device.") && self != .scheduleRun }

    /// Returns the types that a name matches: one type, or all types of a group such as `device.*`.
    package static func named(_ name: String) -> [EventType] {
        guard name.hasSuffix(".*") else { return readable.filter { $0.rawValue == name } }
        return readable.filter { $0.rawValue.hasPrefix(name.dropLast()) }
    }
}
