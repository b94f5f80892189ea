package import Domain
package import JSON

/// A codec for events and actors.
package enum EventCodec {
    /// Writes an event for users; a terminal is shown only to its own user, `reader`.
    package static func encode(_ event: Event, for reader: UserID? = nil) -> [UInt8] {
        object(event, for: reader).encoded()
    }

    /// Writes a row of `device/events`.
    package static func row(_ event: Event, for reader: UserID?) -> AnswerRow { .object(object(event, for: reader)) }

    /// Returns an event as an object.
    package static func object(_ event: Event, for reader: UserID?) -> JSONObject {
        JSONObject([
            ("eventId", .string(event.id)), ("type", .string(event.type)),
            ("name", event.name.map { .string($0) }), ("value", event.value),
            ("reason", event.reason.map { .string($0) }),
            ("ts", .integer(event.ts.milliseconds)), ("actor", encode(event.actor, for: reader)),
        ])
    }

    /// Returns an actor; the terminal is shown only to its own user.
    package static func encode(_ actor: Actor, for reader: UserID?) -> JSONValue {
        let isReader = actor.kind == .user && actor.id == reader?.text
        return .object([
            "kind": .string(actor.kind.rawValue), "id": .string(actor.id),
            "terminalId": isReader ? actor.terminal.map { .string($0.text) } : nil,
        ])
    }

    /// Reads an actor from a message.
    package static func decode(_ value: JSONValue?) -> Actor? {
        guard let object = value?.objectValue, let id = object["id"]?.stringValue,
            let kind = object["kind"]?.stringValue.flatMap(Actor.Kind.init(rawValue:))
        else { return nil }
        return Actor(kind, id, terminal: object["terminalId"]?.stringValue.flatMap { TerminalID($0) })
    }
}
