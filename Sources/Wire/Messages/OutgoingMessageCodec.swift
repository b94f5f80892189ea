package import Domain
import JSON

/// A codec for messages to gateways, and for the gateways' answers (`schemas/messages/system.schema.json`).
package enum OutgoingMessageCodec {
    /// Encodes a message and its language for a gateway, which can choose its own text.
    package static func outbound(_ message: OutgoingMessage, language: Language, appName: String) -> [UInt8] {
        var params = message.params
        params["language"] = language.rawValue
        let members = params.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
        return JSONObject(showing: [
            "messageId": message.id, "to": message.to, "countryCode": message.countryCode,
            "template": message.template.rawValue, "params": JSONObject(members), "appName": appName,
            "expiresAt": message.expiresAt,
        ]).encoded()
    }

    /// Encodes a push for a gateway.
    package static func outbound(_ message: OutgoingMessage, _ push: OutgoingPush, from app: App) -> [UInt8] {
        JSONObject(showing: [
            "messageId": message.id, "to": message.to, "appId": app.id, "appName": app.name,
            "payload": PushPayload.shown(push, by: app), "expiresAt": message.expiresAt,
        ]).encoded()
    }

    /// A gateway's answer.
    package struct Result: Sendable, Equatable {
        /// The id of the message.
        package var id: MessageID
        /// Whether the gateway sent the message.
        package var isSent: Bool
        /// The error, in the gateway's words.
        package var error: String?
        /// Whether another try is useless, for example because the phone number does not exist.
        package var isFinal = false
        /// True if the terminal's push address no longer exists.
        package var isGone = false
    }

    /// Parses a gateway's answer.
    package static func decode(_ bytes: ArraySlice<UInt8>) throws(WireError) -> Result {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            Result(
                id: try fields.requiredID("messageId", as: MessageID.self),
                isSent: try fields.requiredBool("ok"),
                error: try fields.text("error", length: 0...1024),
                isFinal: try fields.bool("final") ?? false,
                isGone: try fields.bool("gone") ?? false
            )
        }
    }

    /// Encodes the result of sending a code, for the terminal that requested the code.
    package static func state(_ requestID: String, failure: Rejection?) -> [UInt8] {
        JSONObject([
            ("requestId", .string(requestID)), ("state", failure == nil ? "sent" : "failed"),
            ("error", failure.map(AnswerCodec.error)),
        ]).encoded()
    }
}
