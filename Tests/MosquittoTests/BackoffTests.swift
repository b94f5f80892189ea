import Mosquitto
import Testing

struct BackoffTests {
    @Test("Delays double up to the limit, and each is at least half of its step") func doubles() {
        var backoff = Backoff()
        var step = Duration.milliseconds(100)

        for _ in 0..<20 {
            let delay = backoff.next()
            #expect(delay >= step / 2 && delay <= step)
            step = min(step * 2, .seconds(10))
        }
    }

    @Test("After a stable connection, the delay is short again")
    func reset() {
        var backoff = Backoff()
        for _ in 0..<10 { _ = backoff.next() }

        backoff.reset()

        #expect(backoff.next() <= .milliseconds(100))
    }

    @Test("Two services that lost the same broker reconnect at different moments")
    func jitter() {
        var delays: Set<Duration> = []
        for _ in 0..<50 {
            var backoff = Backoff()
            delays.insert(backoff.next())
        }

        #expect(delays.count > 40)
    }
}
