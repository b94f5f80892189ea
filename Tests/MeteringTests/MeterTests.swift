import TestKit
import Testing

@testable import Metering

@Suite("Limits of a connection")
struct MeterTests {
    private static let allowance = Allowance(
        messagesPerSecond: 20,
        messageBurst: 100,
        bytesPerSecond: 1_000,
        byteBurst: 10_000
    )

    private func meter(_ allowance: Allowance = Self.allowance, patience: Int = 10) -> Meter {
        Meter(allowance, patience: patience, now: 0)
    }

    /// Takes `count` messages at the same time, and returns how many of them pass.
    private func passed(_ meter: inout Meter, _ count: Int, bytes: Int = 0, at now: Int64) -> Int {
        (0..<count).count { _ in meter.take(bytes: bytes, at: now) == .within }
    }

    @Test(
        "The burst passes at once, then the rate, and a pause refills at most the burst"
    )
    func messages() {
        var meter = meter()

        #expect(passed(&meter, 200, at: 0) == 100)
        #expect(passed(&meter, 200, at: 49) == 0)
        #expect(passed(&meter, 200, at: 50) == 1)
        #expect(passed(&meter, 200, at: 1_050) == 20)
        #expect(passed(&meter, 200, at: 3_600_000) == 100)
    }

    @Test("Bytes are counted like messages, and a message that doesn't fit uses nothing up")
    func bytes() {
        var meter = meter()

        #expect(passed(&meter, 1, bytes: 10_001, at: 0) == 0)
        #expect(passed(&meter, 20, bytes: 1_000, at: 0) == 10)
        #expect(passed(&meter, 1, bytes: 1_000, at: 999) == 0)
        #expect(passed(&meter, 1, bytes: 1_000, at: 1_000) == 1)
        // The messages that the byte limit refused took nothing from the bucket of messages. By 1,000 ms, this bucket
        // was full again, with 100 messages. One message has passed since then, so 99 more can pass.
        #expect(passed(&meter, 200, bytes: 0, at: 1_000) == 99)
    }

    @Test("A rate of 0 sets no limit, and a burst of 0 means one second of the rate")
    func edges() {
        var free = meter(.unlimited)
        #expect(passed(&free, 10_000, bytes: 1 << 30, at: 0) == 10_000)

        var short = meter(Allowance(messagesPerSecond: 5, messageBurst: 0, bytesPerSecond: 0, byteBurst: 0))
        #expect(passed(&short, 100, bytes: 1 << 30, at: 0) == 5)
    }

    @Test("Extreme numbers and clock jumps cause no trap and grant nothing") func extremes() {
        var meter = meter(Allowance(messagesPerSecond: .max, messageBurst: .max, bytesPerSecond: .max, byteBurst: .max))
        for now in [Int64.max, .min, 0, 1] {
            let verdict = meter.take(messages: .max, bytes: .max, at: now)
            #expect(verdict != .beyond(mustTell: true, mustClose: true))
        }
        var plain = self.meter()
        #expect(passed(&plain, 200, at: -5_000) == 100)
    }

    @Test(
        "One refusal a second is reported, and after ten seconds with refusals the connection is closed once"
    )
    func patience() {
        var meter = meter()
        _ = passed(&meter, 100, at: 0)
        var told: [Int64] = []
        var closed: [Int64] = []

        for now in stride(from: Int64(0), to: 12_000, by: 1) {
            guard case .beyond(let mustTell, let mustClose) = meter.take(bytes: 0, at: now) else { continue }
            if mustTell { told.append(now) }
            if mustClose { closed.append(now) }
        }

        // At each full second, the rate lets a message pass. The next refusal comes a millisecond later.
        #expect(told == [0] + stride(from: Int64(1_001), to: 12_000, by: 1_000))
        #expect(closed == [10_001])
    }

    @Test("Each second without refusals cancels one with refusals, so short peaks never close a connection")
    func peaks() {
        var steady = meter()
        var wild = meter()
        var isSteadyClosed = false
        var isWildClosed = false
        for second in Int64(0)..<600 {
            // In each period of four seconds, the steady meter refuses messages during two seconds. The wild meter
            // refuses messages during three seconds.
            for (number, hot) in [(0, second % 4 < 2), (1, second % 4 < 3)] where hot {
                for _ in 0..<300 {
                    let verdict =
                        number == 0
                        ? steady.take(bytes: 0, at: second * 1_000) : wild.take(bytes: 0, at: second * 1_000)
                    guard case .beyond(_, true) = verdict else { continue }
                    if number == 0 { isSteadyClosed = true } else { isWildClosed = true }
                }
            }
        }

        #expect(!isSteadyClosed && isWildClosed)
        var never = meter(patience: 0)
        for now in Int64(0)..<60_000 {
            if case .beyond(_, true) = never.take(bytes: 0, at: now) { Issue.record("closed") }
        }
    }

    @Test("A meter is reset once its buckets are full and its seconds with refusals are cancelled")
    func asNew() {
        var meter = meter()
        func isAsNew(at now: Int64) -> Bool { meter.isAsNew(at: now) }
        #expect(isAsNew(at: 0))

        _ = passed(&meter, 1, at: 0)
        #expect(!isAsNew(at: 49))
        #expect(isAsNew(at: 50))

        _ = passed(&meter, 200, at: 100)
        #expect(!isAsNew(at: 5_000))
        #expect(isAsNew(at: 5_100))
    }
}
