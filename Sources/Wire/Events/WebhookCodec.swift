package import Domain
import JSON

/// An encoder of the bodies that are posted to webhooks.
package enum WebhookCodec {
    /// The bytes of a body around its events, at most.
    package static let frameBytes = 128

    /// Writes a body of events as `LoggedEventCodec.encode` wrote them.
    package static func body(_ id: SubscriptionID, _ events: [[UInt8]]) -> [UInt8] {
        let head: JSONObject = ["subscriptionId": .string(id.text)]
        return head.encoded().dropLast() + Array(#","events":["#.utf8)
            + Array(events.joined(separator: [UInt8(ascii: ",")])) + Array("]}".utf8)
    }
}
