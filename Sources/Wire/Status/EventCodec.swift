package import Domain
package import JSON

/// A codec for events and actors.
package enum EventCodec {
    /// Encodes an event for a user, with the actor's terminal only if `reader` is the actor.
    package static func encode(_ event: Event, for reader: UserID? = nil) -> [UInt8] {
        object(event, for: reader).encoded()
    }

    /// Returns a row of `device/events`.
    package static func row(_ event: Event, for reader: UserID?) -> AnswerRow { .object(object(event, for: reader)) }

    /// Returns an event as a JSON object.
    package static func object(_ event: Event, for reader: UserID?) -> JSONObject {
        JSONObject([
            ("eventId", .string(event.id)), ("type", .string(event.type)),
            ("name", event.name.map { .string($0) }), ("value", event.value),
            ("reason", event.reason.map { .string($0) }),
            ("ts", .integer(event.ts.milliseconds)), ("actor", encode(event.actor, for: reader)),
        ])
    }

    /// Returns an actor as JSON, with the terminal only if `reader` is the actor.
    package static func encode(_ actor: Actor, for reader: UserID?) -> JSONValue {
        let isReader = actor.kind == .user && actor.id == reader?.text
        return .object([
            "kind": .string(actor.kind.rawValue), "id": .string(actor.id),
            "terminalId": isReader ? actor.terminal.map { .string($0.text) } : nil,
        ])
    }

    /// Parses the actor in a message, or returns nil if the actor is missing or malformed.
    package static func decode(_ value: JSONValue?) -> Actor? {
        guard let object = value?.objectValue, let id = object["id"]?.stringValue,
            let kind = object["kind"]?.stringValue.flatMap(Actor.Kind.init(rawValue:))
        else { return nil }
        return Actor(kind, id, terminal: object["terminalId"]?.stringValue.flatMap { TerminalID($0) })
    }
}

/// An actor is shown without its terminal.
extension Actor: Showable { package var shown: JSONValue { EventCodec.encode(self, for: nil) } }
