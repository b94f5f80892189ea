package import Domain
import JSON

/// An encoder of the bodies that are posted to webhooks.
package enum WebhookCodec {
    /// The maximum size of a body without its events, in bytes.
    package static let frameBytes = 128

    /// Returns a body with events that `LoggedEventCodec.encode` has written.
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
