package import Domain
package import JSON

/// Reads and writes what the gate refused (PROTOCOL 7).
package enum RefusalCodec {
    /// Characters of one text that are kept; the gate cuts earlier.
    private static let textMax = 256

    /// Reads a message of `system/refusal`, and how many before it were not told; nil when it is none.
    package static func decode(
        _ bytes: ArraySlice<UInt8>
    ) -> (refusal: GateRefusal, suppressed: Int64)? {
        guard let object = try? Payload.object(bytes), let refusal = refusal(object) else {
            return nil
        }
        return (refusal, max(0, object["suppressed"]?.intValue ?? 0))
    }

    /// Reads what `encode` wrote.
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

    /// A refusal as it is stored and shown: the gate's message, with `firstAt` and `times`.
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
