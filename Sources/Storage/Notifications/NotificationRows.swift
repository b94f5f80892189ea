package import Domain
package import JSON

extension Domain.Notification: TableRow {
    package static let table = Table<Self>("notification")

    package static func map(_ column: inout ColumnMapper<Self>) -> Self {
        var note = Self(
            id: column("notificationId", \.id, as: .key),
            uid: column("uid", \.uid),
            eventID: column("eventId", \.eventID),
            kind: column("kind", \.kind),
            type: column("type", \.type),
            did: column("did", \.did),
            subject: column("subject", \.subject),
            ts: column("ts", \.ts, as: .changing)
        )
        note.title = column("title", \.title, as: .changing)
        note.text = column("text", \.text, as: .changing)
        note.data = column("data", \.data, as: .changing)
        note.isRead = column("isRead", \.isRead, as: .changing)
        note.count = column("count", \.count, as: .changing)
        note.clearedAt = column("clearedAt", \.clearedAt, as: .changing)
        note.isHidden = column("hidden", \.isHidden, as: .changing)
        note.outcome = column("outcome", \.outcome, as: .changing)
        note.why = column("why", \.why, as: .changing)
        note.countedIn = column("countedIn", \.countedIn, as: .changing)
        let pushes = column("pushes", { JSONValue.array($0.pushes.map(\.stored)) }, as: .changing)
        note.pushes = pushes.arrayValue?.compactMap { Push(stored: $0) } ?? []
        note.dueAt = column("dueAt", \.dueAt, as: .changing)
        return note
    }
}

extension Domain.Notification.Push {
    /// Decodes a stored outcome, or returns nil if the value isn't valid.
    fileprivate init?(stored value: JSONValue) {
        guard let object = value.objectValue, let terminal = object["terminalId"]?.stringValue,
            let outcome = object["outcome"]?.stringValue.flatMap(Domain.Notification.Outcome.init(rawValue:)),
            let at = object["at"]?.intValue
        else { return nil }
        self.init(
            TerminalID(trusted: terminal),
            outcome,
            error: object["error"]?.stringValue,
            at: Instant(milliseconds: at)
        )
    }

    /// The outcome as JSON, as it is stored and shown.
    package var stored: JSONValue {
        .object([
            "terminalId": .string(terminal.text), "outcome": .string(outcome.rawValue),
            "error": error.map { .string($0) }, "at": .integer(at.milliseconds),
        ])
    }
}

extension NotificationSettings: TableRow {
    package static let table = Table<Self>("notificationSetting")

    package static func map(_ column: inout ColumnMapper<Self>) -> Self {
        var settings = NotificationSettings(column("uid", \.uid, as: .key))
        let off = column("off", { $0.off.map(\.rawValue).sorted().joined(separator: " ") }, as: .changing)
        settings.off = Set(off.split(separator: " ").compactMap { Domain.Notification.Kind(rawValue: String($0)) })
        let devices = column("dids", { JSONObject($0.offDevices.map { ($0.text, .bool(false)) }) }, as: .changing)
        settings.offDevices = Set(devices.members.map { DeviceID(trusted: $0.key) })
        settings.offlineMinutes = column("offlineMinutes", \.offlineMinutes, as: .changing)
        let from = column("quietFrom", \.quiet?.from, as: .changing)
        let to = column("quietTo", { $0.quiet?.to ?? 0 }, as: .changing)
        let zone = column("quietZone", { $0.quiet?.zone }, as: .changing)
        settings.quiet = from.map { QuietHours(from: $0, to: to, zone: zone) }
        return settings
    }
}
