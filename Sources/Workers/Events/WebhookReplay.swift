package import Domain
import Providers
package import Storage

/// An operator's action that posts a dead letter again to the webhook that refused it.
package enum WebhookReplay {
    /// Posts a dead letter to its webhook, and returns the reason if that fails.
    ///
    /// A paused or disabled webhook also gets the post.
    package static func run(
        _ letter: DeadLetter,
        to id: SubscriptionID,
        in store: Store,
        under rule: OutboundRule
    ) throws -> String? {
        let now = SystemClock().now
        guard let row = try store.read(at: now, { try $0.eventSubscriptions.find(id) }), row.url != nil else {
            return "The webhook's subscription no longer exists."
        }
        guard var client = WebhookClient(rule, OpenTransfers()) else { return "Too little memory for a replay now." }
        let error = client.post(row.post(letter.payload, at: now), at: now).error
        return error.map { "The webhook did not accept the event: " + $0 }
    }
}
