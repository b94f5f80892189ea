package import Domain
import JSON

/// An encoder of the bodies that are posted to webhooks.
package enum WebhookCodec {
    /// The maximum number of bytes in a body in addition to its events.
    package static let frameBytes = 128

    /// Returns a body with events that `LoggedEventCodec.encode` has written.
    package static func body(_ id: SubscriptionID, _ events: [[UInt8]]) -> [UInt8] {
        let head: JSONObject = ["subscriptionId": .string(id.text)]
        return head.encoded().dropLast() + Array(#","events":["#.utf8)
            + Array(events.joined(separator: [UInt8(ascii: ",")])) + Array("]}".utf8)
    }
}
