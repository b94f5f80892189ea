package import Domain
import JSON

extension RefusalCodec {
    /// Parses a message of `system/refusal`, which also contains the number of refusals suppressed before it.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> (refusal: ClientRefusal, suppressed: Int64)? {
        guard let object = try? Payload.object(bytes), let refusal = refusal(object) else { return nil }
        return (refusal, max(0, object["suppressed"]?.intValue ?? 0))
    }

    /// Encodes a message of `system/refusal`; `missed` is the number of refusals suppressed before it.
    package static func message(_ refusal: ClientRefusal, missed: Int64) -> [UInt8] {
        JSONObject([
            ("username", .string(refusal.username)), ("clientId", .string(refusal.clientID)),
            ("address", .string(refusal.address)), ("action", .string(refusal.action)),
            ("topic", refusal.topic.map { .string($0) }), ("reason", .string(refusal.reason)),
            ("detail", refusal.detail.map { .string($0) }), ("suppressed", missed > 0 ? .integer(missed) : nil),
            ("ts", .integer(refusal.lastAt.milliseconds)),
        ]).encoded()
    }
}
