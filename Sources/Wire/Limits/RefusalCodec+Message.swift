package import Domain
import JSON

extension RefusalCodec {
    /// Parses a `system/refusal` message and the number of refusals suppressed before it.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> (refusal: ClientRefusal, suppressed: Int64)? {
        guard let object = try? Payload.object(bytes), let refusal = refusal(object) else { return nil }
        return (refusal, max(0, object["suppressed"]?.intValue ?? 0))
    }

    /// Encodes a `system/refusal` message, where `missed` is the number of refusals suppressed before it.
    package static func message(_ refusal: ClientRefusal, missed: Int64) -> [UInt8] {
        JSONObject(showing: [
            "username": refusal.username, "clientId": refusal.clientID, "address": refusal.address,
            "action": refusal.action, "topic": refusal.topic, "reason": refusal.reason, "detail": refusal.detail,
            "suppressed": missed > 0 ? missed : nil, "ts": refusal.lastAt,
        ]).encoded()
    }
}
