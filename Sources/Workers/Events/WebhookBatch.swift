package import Domain
package import Providers
import Sodium

/// A batch of events for a webhook, with the position in the event log at which the batch ends.
struct WebhookBatch {
    /// The subscription as it was read before the post.
    let row: EventSubscription
    /// The body of the post.
    let body: [UInt8]
    /// The number of events in the body.
    let count: Int
    /// The cursor of the last event in the body.
    let last: EventCursor
    /// The cursor after all entries that were read, including entries that the filter left out.
    let end: EventCursor
    /// Whether the log may have more entries after `end`.
    let isMore: Bool

    /// Returns the id of a body, which is the same for equal bodies.
    static func id(of body: [UInt8]) -> String { "wh-" + Sodium.hex(WebhookSecret.digest(of: body).prefix(16)) }
}

extension EventSubscription {
    /// Returns the secrets that sign a post, including the previous secret for a day after a rotation.
    func secrets(at now: Instant) -> [WebhookSecret] {
        let old = oldSecretUntil.map { $0 > now } ?? false ? oldSecret : nil
        return [secret, old].compactMap(\.self).map { WebhookSecret($0) }
    }

    /// Returns the post that delivers a body to this webhook.
    package func post(_ body: [UInt8], at now: Instant) -> WebhookClient.Post {
        WebhookClient.Post(url: url ?? "", id: WebhookBatch.id(of: body), secrets: secrets(at: now), body: body)
    }

    /// The topic of the dead letters of this subscription.
    var deadLetterTopic: String { Self.deadLetterPrefix + id.text }

    private static let deadLetterPrefix = "webhook/"

    /// Returns the id of the webhook that refused a dead letter, or nil if the dead letter is an MQTT message.
    package static func webhook(ofDeadLetter topic: String) -> SubscriptionID? {
        guard topic.hasPrefix(deadLetterPrefix) else { return nil }
        return SubscriptionID(String(topic.dropFirst(deadLetterPrefix.count)))
    }
}
