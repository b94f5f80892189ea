import Domain
import Testing

@Suite("Posting events to a webhook")
struct WebhookRulesTests {
    @Test(
        "2xx means accepted; 400, 413 and 422 refuse the content; 410 ends the webhook; other answers are temporary",
        arguments: [
            (200 as Int?, WebhookRules.Meaning.taken), (204, .taken), (299, .taken), (301, .later), (307, .later),
            (400, .content), (401, .later), (404, .later), (410, .gone), (413, .content), (422, .content),
            (429, .later), (500, .later), (503, .later), (nil, .later),
        ]
    )
    func meanings(status: Int?, meaning: WebhookRules.Meaning) {
        #expect(WebhookRules.meaning(of: status) == meaning)
    }

    @Test("The pause doubles from 5 seconds to 15 minutes, plus or minus a fifth")
    func pauses() {
        let pauses = [1, 2, 3, 8, 9, 1_000].map {
            WebhookRules.pause(afterFailures: $0, retryAfter: nil, chance: 0)
        }
        #expect(pauses == [5_000, 10_000, 20_000, 640_000, 900_000, 900_000])
        #expect(WebhookRules.pause(afterFailures: 1, retryAfter: nil, chance: -1) == 4_000)
        #expect(WebhookRules.pause(afterFailures: 1, retryAfter: nil, chance: 1) == 6_000)
    }

    @Test("Retry-After lengthens a pause up to an hour, and never shortens it")
    func retryAfter() {
        #expect(WebhookRules.pause(afterFailures: 1, retryAfter: 60, chance: 0) == 60_000)
        #expect(WebhookRules.pause(afterFailures: 1, retryAfter: 1, chance: 0) == 5_000)
        #expect(WebhookRules.pause(afterFailures: 1, retryAfter: 86_400, chance: 0) == 3_600_000)
    }

    @Test("A refused batch is halved down to a single event, which is set aside after three refusals")
    func halving() {
        var search = WebhookSearch()
        #expect(search.refused(100) == .narrow(to: 50))
        #expect(search.limit == 50)
        #expect(search.refused(50) == .narrow(to: 25))
        #expect(search.refused(3) == .narrow(to: 2))
        #expect(search.refused(2) == .narrow(to: 1))
        #expect(search.refused(1) == .again)
        #expect(search.refused(1) == .again)
        #expect(search.refused(1) == .giveUp)
        #expect(search.limit == 1)
    }

    @Test("After a success the batches grow again")
    func growing() {
        var search = WebhookSearch()
        _ = search.refused(4)
        _ = search.refused(2)
        var limits: [Int?] = []
        for _ in 0..<7 {
            search.taken(search.limit ?? 100)
            limits.append(search.limit)
        }
        #expect(limits == [2, 4, 8, 16, 32, 64, nil])
    }

    @Test("After ten dead letters in a row the endpoint is at fault: nothing is set aside until it accepts an event")
    func endpointAtFault() {
        var search = WebhookSearch()
        var given = 0
        for _ in 0..<100 where search.refused(1) == .giveUp { given += 1 }
        #expect(given == 10)
        #expect(search.refused(1) == .wait)
        search.taken(1)
        #expect(search.refused(1) == .again)
    }
}
