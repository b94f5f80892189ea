package import Domain
package import JSON

/// Reads and writes refusals by the gate (`refusal` in `schemas/messages/system.schema.json`).
package enum RefusalCodec {
    /// The number of characters kept of a text; the gate cuts earlier.
    private static let textMax = 256

    /// Reads a message of `system/refusal`, and the number of untold ones before it; nil if it is malformed.
    package static func decode(
        _ bytes: ArraySlice<UInt8>
    ) -> (refusal: GateRefusal, suppressed: Int64)? {
        guard let object = try? Payload.object(bytes), let refusal = refusal(object) else {
            return nil
        }
        return (refusal, max(0, object["suppressed"]?.intValue ?? 0))
    }

    /// Reads a stored refusal.
    package static func decode(stored bytes: [UInt8]) -> GateRefusal? {
        (try? JSONValue.parse(bytes).objectValue).flatMap(refusal)
    }

    private static func refusal(_ object: JSONObject) -> GateRefusal? {
        func text(_ key: String) -> String? {
            object[key]?.stringValue.map { String($0.unicodeScalars.prefix(textMax)) }
        }
        guard let action = text("action"), let reason = text("reason"),
            let ts = object["ts"]?.intValue
        else { return nil }
        return GateRefusal(
            action: action,
            username: text("username") ?? "",
            clientID: text("clientId") ?? "",
            address: text("address") ?? "",
            topic: text("topic"),
            reason: reason,
            at: Instant(milliseconds: ts)
        )
    }

    /// Writes a refusal as it is stored and shown: the gate's message, with `firstAt` and `times`.
    package static func object(_ refusal: GateRefusal) -> JSONObject {
        JSONObject([
            ("username", .string(refusal.username)), ("clientId", .string(refusal.clientID)),
            ("address", .string(refusal.address)), ("action", .string(refusal.action)),
            ("topic", refusal.topic.map { .string($0) }), ("reason", .string(refusal.reason)),
            ("ts", .integer(refusal.lastAt.milliseconds)),
            ("firstAt", .integer(refusal.firstAt.milliseconds)), ("times", .integer(refusal.times)),
        ])
    }
}
