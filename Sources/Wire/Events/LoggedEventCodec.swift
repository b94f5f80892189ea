package import Domain
import JSON

/// An encoder of the event log's entries, and of data that only these entries contain.
package enum LoggedEventCodec {
    /// Encodes an entry for `app`, and leaves out the ids and the personal data of other apps' users.
    package static func encode(_ event: LoggedEvent, id: EventCursor, for app: AppID) -> [UInt8] {
        let isForeign = event.app.map { $0 != app } ?? false
        var writer = JSONWriter(capacity: event.data.count + 256)
        writer.beginObject()
        writer.member("id", id.text)
        writer.member("type", event.type.rawValue)
        writer.name("ts")
        writer.value(event.ts.milliseconds)
        writer.member("did", event.did?.text)
        writer.member("productKey", event.product?.text)
        if !isForeign {
            writer.member("uid", event.uid?.text)
            if let actor = event.actor {
                writer.name("actor")
                writer.value(EventCodec.encode(actor, for: nil))
            }
        }
        writer.name("data")
        writer.raw(isForeign ? withoutUsers(event.data) : event.data)
        writer.endObject()
        return writer.finish()
    }

    private static func withoutUsers(_ data: [UInt8]) -> [UInt8] {
        let members = (try? JSONValue.parse(data))?.objectValue?.members ?? []
        let personal = ["actor", "uid", "device", "terminalId"]
        return JSONObject(members: members.filter { !personal.contains($0.key) }).encoded()
    }

    /// Returns an entry that says that the entries between two positions are no longer stored.
    package static func gap(from: EventCursor, to: EventCursor, at now: Instant) -> LoggedEvent {
        LoggedEvent(
            .gap,
            at: now,
            data: JSONObject([("from", .string(from.text)), ("to", .string(to.text))]).encoded()
        )
    }

    /// Returns a page of encoded entries, with the position after them as `cursor`.
    package static func page(_ events: [[UInt8]], cursor: EventCursor, isMore: Bool) -> [UInt8] {
        var writer = JSONWriter(capacity: events.reduce(128) { $0 + $1.count + 1 })
        writer.beginObject()
        writer.name("events")
        writer.raw(array: events)
        writer.name("cursor")
        writer.value(cursor.text)
        writer.name("more")
        writer.value(isMore)
        writer.endObject()
        return writer.finish()
    }

    // MARK: Data

    /// Encodes a device's registration, whose `state` is `created`, `renewed` or `reset`.
    package static func registered(_ mac: MAC, state: String) -> [UInt8] {
        JSONObject([("mac", .string(mac.text)), ("state", .string(state))]).encoded()
    }

    /// Encodes an account as other users see it, or only the id of a deleted account.
    package static func account(_ user: User, isDeleted: Bool, changed: User.SecurityChange? = nil) -> [UInt8] {
        JSONObject([
            ("uid", .string(user.uid.text)), ("nickname", isDeleted ? nil : .string(user.nickname)),
            ("anonymous", isDeleted ? nil : .bool(user.isAnonymous)),
            ("changed", changed.map { .string($0.rawValue) }),
        ]).encoded()
    }

    /// Encodes the record of an e-mail or text message that could not be sent.
    package static func message(_ record: MessageRecord) -> [UInt8] {
        JSONObject([
            ("messageId", .string(record.id.text)), ("channel", .string(record.channel.rawValue)),
            ("template", .string(record.template.rawValue)), ("to", .string(record.address)),
            ("provider", .string(record.provider)), ("state", .string(record.state.rawValue)),
            ("error", record.error.map { .string($0) }),
        ]).encoded()
    }
}
