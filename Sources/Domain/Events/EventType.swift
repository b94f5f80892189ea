/// A type of entries in the event log, an entry of `schemas/messages/event.schema.json`.
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
    /// Made on delivery: older entries than the oldest kept were asked for.
    case gap = "events.gap"

    /// The type of a device's own event; nil if the log doesn't keep it.
    package init?(_ event: Event) {
        self.init(rawValue: event.type == "scheduleRun" ? Self.scheduleRun.rawValue : "device.\(event.type)")
    }

    /// The types that a reader can ask for.
    package static let readable = allCases.filter { $0 != .gap }

    /// Whether it is kept only while a reader wants it, and apart from other types, because there are very many.
    package var isBulk: Bool { self == .deviceStatus }

    /// Whether it concerns a user and not a device, so that only the user's own app sees it.
    package var isOfUser: Bool { !rawValue.hasPrefix("device.") && self != .scheduleRun }

    /// Returns the types that a name stands for: one type, or all of a group such as `device.*`.
    package static func named(_ name: String) -> [EventType] {
        guard name.hasSuffix(".*") else { return readable.filter { $0.rawValue == name } }
        return readable.filter { $0.rawValue.hasPrefix(name.dropLast()) }
    }
}
