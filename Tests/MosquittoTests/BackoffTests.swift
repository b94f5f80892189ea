import Mosquitto
import Testing

struct BackoffTests {
    @Test("Delays double from the first to the limit, each at least half of its step") func doubles() {
        var backoff = Backoff()
        var step = Duration.milliseconds(100)

        for _ in 0..<20 {
            let delay = backoff.next()
            #expect(delay >= step / 2 && delay <= step)
            step = min(step * 2, .seconds(10))
        }
    }

    @Test("After a connection that held, the delay is short again")
    func reset() {
        var backoff = Backoff()
        for _ in 0..<10 { _ = backoff.next() }

        backoff.reset()

        #expect(backoff.next() <= .milliseconds(100))
    }

    @Test("Two services that lost the same broker come back at different moments")
    func jitter() {
        var delays: Set<Duration> = []
        for _ in 0..<50 {
            var backoff = Backoff()
            delays.insert(backoff.next())
        }

        #expect(delays.count > 40)
    }
}
