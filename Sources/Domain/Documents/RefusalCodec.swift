package import JSON

/// A codec for refusals by the gate and by listeners (`refusal` in `schemas/messages/system.schema.json`).
package enum RefusalCodec {
    /// The maximum length of a string, in characters.
    ///
    /// A longer string is cut. The strings in the gate's messages are never longer.
    private static let textMax = 256

    /// Parses a stored refusal; returns nil if it is malformed.
    package static func decode(stored bytes: [UInt8]) -> ClientRefusal? {
        (try? JSONValue.parse(bytes).objectValue).flatMap(refusal)
    }

    /// Parses the members that stored refusals share with the gate's messages, or returns nil if a required one is
    /// missing.
    package static func refusal(_ object: JSONObject) -> ClientRefusal? {
        func text(_ key: String) -> String? {
            object[key]?.stringValue.map { String($0.unicodeScalars.prefix(textMax)) }
        }
        guard let action = text("action"), let reason = text("reason"), let ts = object["ts"]?.intValue else {
            return nil
        }
        var refusal = ClientRefusal(
            action: action,
            username: text("username") ?? "",
            clientID: text("clientId") ?? "",
            address: text("address") ?? "",
            topic: text("topic"),
            reason: reason,
            at: Instant(milliseconds: ts)
        )
        refusal.detail = text("detail")
        return refusal
    }

    /// Returns a refusal for the store: the members of its message except `suppressed`, and also `firstAt` and `times`.
    package static func object(_ refusal: ClientRefusal) -> JSONObject {
        [
            "username": .string(refusal.username), "clientId": .string(refusal.clientID),
            "address": .string(refusal.address), "action": .string(refusal.action),
            "topic": refusal.topic.map { .string($0) }, "reason": .string(refusal.reason),
            "detail": refusal.detail.map { .string($0) }, "ts": .integer(refusal.lastAt.milliseconds),
            "firstAt": .integer(refusal.firstAt.milliseconds), "times": .integer(refusal.times),
        ]
    }
}
