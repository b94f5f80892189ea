package import Domain
package import JSON

/// An encoder of notifications for users.
package enum NotificationCodec {
    /// The count of unread notifications of each kind.
    package typealias Unread = [Notification.Kind: Int64]

    /// A change in the message centre.
    package enum Change: String, Sendable {
        case added, changed, deleted
    }

    /// Returns a row of `notification/list`.
    package static func row(_ note: Notification) -> AnswerRow { .object(object(note)) }

    private static func object(_ note: Notification) -> JSONObject {
        JSONObject(showing: [
            "notificationId": note.id, "kind": note.kind.rawValue, "type": note.type, "did": note.did,
            "title": note.title, "text": note.text, "ts": note.ts, "read": note.isRead, "count": note.count,
            "clearedAt": note.clearedAt, "data": note.data.members.isEmpty ? nil : note.data,
        ])
    }

    /// Encodes a change in the message centre for the user's open apps.
    package static func push(_ change: Change, _ note: Notification, unread: Unread) -> [UInt8] {
        var object = JSONObject([("change", .string(change.rawValue)), ("unread", encode(unread))])
        for member in self.object(note).members { object[member.key] = member.value }
        return object.encoded()
    }

    /// Encodes a notification for a push service.
    package static func payload(_ note: Notification) -> [UInt8] {
        JSONObject(showing: [
            "notificationId": note.id, "type": note.type, "did": note.did, "title": note.title, "text": note.text,
            "ts": note.ts,
        ]).encoded()
    }

    /// Returns the answer to `notification/list`.
    package static func page(_ rows: [AnswerRow], unread: Unread, next: String?) -> Answer {
        JSONObject(showing: ["notifications": rows, "unread": encode(unread), "cursor": next])
    }

    /// Returns the answer to a method that changes which notifications are unread.
    package static func unread(_ unread: Unread) -> Answer { ["unread": encode(unread)] }

    private static func encode(_ unread: Unread) -> JSONValue {
        .object(JSONObject(Notification.Kind.allCases.map { ($0.rawValue, .integer(unread[$0] ?? 0)) }))
    }

    /// Returns the answer to `notification/settings`.
    package static func settings(_ settings: NotificationSettings) -> Answer {
        var answer = JSONObject(
            Notification.Kind.allCases.map { ($0.rawValue, .bool(!settings.off.contains($0))) }
        )
        let devices = settings.offDevices.sorted().map { ($0.text, JSONValue.bool(false)) }
        answer["dids"] = .object(JSONObject(devices))
        answer["offlineMinutes"] = .integer(settings.offlineMinutes)
        answer["quiet"] = settings.quiet.map { quiet in
            JSONObject(showing: [
                "from": DayTime.clock(quiet.from).description, "to": DayTime.clock(quiet.to).description,
                "timezone": quiet.zone,
            ]).shown
        }
        return answer
    }

    /// Returns a row of `notification/explain`.
    package static func reason(_ note: Notification, pushes: [AnswerRow]) -> AnswerRow {
        .object(reasonObject(note, pushes: pushes))
    }

    /// Returns what operators see of a notification: the outcome and the reason for it, but not the text.
    package static func operatorRow(_ note: Notification, pushes: [AnswerRow]) -> JSONObject {
        var row = reasonObject(note, pushes: pushes)
        (row["id"], row["kind"]) = (.string(note.id.text), .string(note.kind.rawValue))
        (row["count"], row["reason"]) = (.integer(note.count), .string(note.why.rawValue))
        return row
    }

    private static func reasonObject(_ note: Notification, pushes: [AnswerRow]) -> JSONObject {
        let id = note.isHidden ? note.countedIn : note.id
        return JSONObject(showing: [
            "ts": note.ts, "eventId": note.eventID, "type": note.type, "did": note.did,
            "outcome": note.outcome.rawValue, "why": note.why.sentence, "notificationId": id, "terminals": pushes,
        ])
    }

    /// Returns the answer to `notification/explain`.
    package static func reasons(_ rows: [AnswerRow]) -> Answer { ["reasons": .array(rows)] }

    /// Returns the answer to `notification/send`.
    package static func sent(_ count: Int) -> Answer { ["notifications": .integer(Int64(count))] }

    /// Encodes the kind and the state of a terminal's push address for users, without the address itself.
    package static func address(_ address: PushAddress) -> JSONValue {
        JSONObject(showing: [
            "kind": address.kind.rawValue, "since": address.since, "lastOkAt": address.lastOKAt, "error": address.error,
        ]).shown
    }

    /// Returns the answer to `notification/setPush`.
    package static func push(_ address: PushAddress?) -> Answer { JSONObject([("push", address.map(Self.address))]) }

    /// Returns the answer to `notification/test`.
    package static func tested(_ state: TestState, error: String?) -> Answer {
        JSONObject([("state", .string(state.rawValue)), ("error", error.map { .string($0) })])
    }

    /// The outcome of a test push.
    package enum TestState: String, Sendable {
        case sent, failed, noAddress, notConfigured
    }
}
