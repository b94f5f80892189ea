package import Domain
import Providers
package import Storage

/// The replay of a dead letter that a webhook refused: one post of the same content, by an operator.
package enum WebhookReplay {
    /// Posts a letter to its webhook, whatever the webhook's state, and blocks until the end of the answer.
    ///
    /// - Returns: The reason why it wasn't taken; nil if it was.
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
        guard var client = WebhookClient(rule, OpenTransfers()) else { return "There is no memory for it now." }
        let error = client.post(row.post(letter.payload, at: now), at: now).error
        return error.map { "The webhook did not take it: " + $0 }
    }
}
