package import Domain
package import Providers
import Sodium

/// Events on the way to a webhook: one body, and the place behind its events.
struct WebhookBatch {
    /// The subscription as it was read.
    let row: EventSubscription
    /// The body.
    let body: [UInt8]
    /// The number of events.
    let count: Int
    /// The place of the last event.
    let last: EventCursor
    /// The place behind everything that was looked at.
    let end: EventCursor
    /// Whether the log may have more behind it.
    let isMore: Bool

    /// Returns the id of a body: the same for the same content.
    static func id(of body: [UInt8]) -> String { "wh-" + Sodium.hex(WebhookSecret.digest(of: body).prefix(16)) }
}

extension EventSubscription {
    /// Returns the secrets that sign now: the present one, and for a day after a rotation the one before it.
    func secrets(at now: Instant) -> [WebhookSecret] {
        let old = oldSecretUntil.map { $0 > now } ?? false ? oldSecret : nil
        return [secret, old].compactMap(\.self).map { WebhookSecret($0) }
    }

    /// Returns a body as it is posted to this webhook.
    package func post(_ body: [UInt8], at now: Instant) -> WebhookClient.Post {
        WebhookClient.Post(url: url ?? "", id: WebhookBatch.id(of: body), secrets: secrets(at: now), body: body)
    }

    /// The topic of its dead letters.
    var deadLetterTopic: String { Self.deadLetterPrefix + id.text }

    /// The beginning of the topics of webhooks' dead letters.
    private static let deadLetterPrefix = "webhook/"

    /// Returns the subscription whose webhook refused a dead letter; nil if it is a message of MQTT.
    package static func webhook(ofDeadLetter topic: String) -> SubscriptionID? {
        guard topic.hasPrefix(deadLetterPrefix) else { return nil }
        return SubscriptionID(String(topic.dropFirst(deadLetterPrefix.count)))
    }
}
