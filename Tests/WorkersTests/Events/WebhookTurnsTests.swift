import Domain
import Testing

@testable import Workers

@Suite("Turns of webhooks")
struct WebhookTurnsTests {
    private let id = SubscriptionID(trusted: "v-1")

    private func take(
        _ turns: inout WebhookTurns
    ) throws -> (id: SubscriptionID, webhook: WebhookTurns.Webhook) {
        let taken = turns.take()
        return try #require(taken)
    }

    private func row(_ cursor: Int64 = 0, url: String = "https://a.test/") -> EventSubscription {
        EventSubscription(
            id: id,
            app: AppID(trusted: "app"),
            key: nil,
            name: "hook",
            filter: EventFilter(),
            url: url,
            batch: 100,
            secret: nil,
            cursor: EventCursor(xid: 1, seq: cursor),
            createdAt: Instant(milliseconds: 0)
        )
    }

    @Test("A webhook has one turn at a time, and a wakeup meanwhile gives it the next turn") func oneAtATime() throws {
        var turns = WebhookTurns()
        turns.wake(id)
        turns.wake(id)
        let taken = try take(&turns)
        #expect(!turns.hasTurn)
        turns.wake(id)
        #expect(!turns.hasTurn)
        turns.finish(taken.id, taken.webhook, then: .listen)
        let again = try take(&turns)
        #expect(again.id == id)
        #expect(!turns.hasTurn)
    }

    @Test("Webhooks with more events take turns") func inTurn() throws {
        var turns = WebhookTurns()
        for id in ["v-1", "v-2", "v-3"] { turns.wake(SubscriptionID(trusted: id)) }
        var order: [String] = []
        for _ in 0..<6 {
            let taken = try take(&turns)
            order.append(taken.id.text)
            turns.finish(taken.id, taken.webhook, then: .turn)
        }
        #expect(order == ["v-1", "v-2", "v-3", "v-1", "v-2", "v-3"])
    }

    @Test("Slow webhooks leave two senders for others") func slow() throws {
        var turns = WebhookTurns()
        let ids = (0..<10).map { SubscriptionID(trusted: "v-\($0)") }
        for id in ids {
            turns.wake(id)
            let taken = try take(&turns)
            turns.finish(id, taken.webhook, then: .listen)
        }
        let quick = SubscriptionID(trusted: "v-quick")
        turns.wake(quick)
        var first = try take(&turns)
        first.webhook.isQuick = true
        turns.finish(quick, first.webhook, then: .listen)
        for id in ids + [quick] { turns.wake(id) }
        var taken: [String] = []
        while let next = turns.take() { taken.append(next.id.text) }
        #expect(taken == (0..<6).map { "v-\($0)" } + ["v-quick"])
    }

    @Test("A failed webhook waits until its time, unless the clock was set back") func waiting() throws {
        var turns = WebhookTurns()
        turns.wake(id)
        let taken = try take(&turns)
        turns.finish(taken.id, taken.webhook, then: .wait(until: Instant(milliseconds: 5_000)))
        turns.wakeDue(at: Instant(milliseconds: 4_999))
        #expect(!turns.hasTurn)
        turns.wakeDue(at: Instant(milliseconds: 5_000))
        #expect(turns.hasTurn)

        let again = try take(&turns)
        turns.finish(again.id, again.webhook, then: .wait(until: Instant(milliseconds: 9_000_000)))
        turns.wakeDue(at: Instant(milliseconds: 5_000))
        #expect(turns.hasTurn)
    }

    @Test("A webhook waits for entries, and is woken again after the catalog changed") func listening() throws {
        var turns = WebhookTurns()
        turns.wake(id)
        let taken = try take(&turns)
        turns.finish(taken.id, taken.webhook, then: .listen)
        let answers = [
            turns.listens(id, since: 7), turns.listens(id, since: 7), turns.listens(id, since: 8),
        ]
        #expect(answers == [true, false, true])
        turns.heard(id, since: 8)
        #expect(turns.hasTurn)
        let again = turns.listens(id, since: 8)
        #expect(again)
        let unknown = turns.listens(SubscriptionID(trusted: "v-2"), since: 8)
        #expect(!unknown)
    }

    @Test("A webhook forgotten during its turn starts from the beginning") func forgotten() throws {
        var turns = WebhookTurns()
        turns.wake(id)
        var taken = try take(&turns)
        turns.clear()
        turns.wake(id)
        taken.webhook.isQuick = true
        turns.finish(taken.id, taken.webhook, then: .turn)
        let next = try take(&turns)
        #expect(!next.webhook.isQuick)
        turns.finish(next.id, next.webhook, then: .leave)
        #expect(!turns.hasTurn)
    }

    @Test("A moved cursor or another address ends the repetition of failed posts") func changes() {
        var webhook = WebhookTurns.Webhook()
        webhook.begin(with: row(5))
        #expect(webhook.from == EventCursor(xid: 1, seq: 5))
        webhook.from = EventCursor(xid: 1, seq: 9)
        webhook.upTo = EventCursor(xid: 1, seq: 12)
        webhook.begin(with: row(5))
        #expect(webhook.from == EventCursor(xid: 1, seq: 9))
        #expect(webhook.upTo != nil)
        webhook.begin(with: row(5, url: "https://b.test/"))
        #expect(webhook.from == EventCursor(xid: 1, seq: 5))
        #expect(webhook.upTo == nil)
        webhook.upTo = EventCursor(xid: 1, seq: 12)
        webhook.begin(with: row(3))
        #expect(webhook.from == EventCursor(xid: 1, seq: 3))
        #expect(webhook.upTo == nil)
    }
}
