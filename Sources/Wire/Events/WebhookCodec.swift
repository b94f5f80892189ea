package import Domain
import JSON

/// An encoder of the bodies that are posted to webhooks.
package enum WebhookCodec {
    /// The bytes of a body around its events, at most.
    package static let frameBytes = 128

    /// Writes a body of events as `LoggedEventCodec.encode` wrote them.
    package static func body(_ id: SubscriptionID, _ events: [[UInt8]]) -> [UInt8] {
        var writer = JSONWriter(capacity: events.reduce(frameBytes) { $0 + $1.count + 1 })
        writer.beginObject()
        writer.name("subscriptionId")
        writer.value(id.text)
        writer.name("events")
        writer.raw(array: events)
        writer.endObject()
        return writer.finish()
    }
}
