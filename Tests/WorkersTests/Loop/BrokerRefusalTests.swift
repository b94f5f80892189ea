import Domain
import Logging
import Mosquitto
import Testing

@testable import Workers

@Suite("Messages that the broker refuses")
struct BrokerRefusalTests {
    private let metrics = WorkerMetrics(Lane(.status))
    private let taken = PublishReceipt(mid: 1, reasonCode: 0x10)
    private let refused = PublishReceipt(mid: 2, reasonCode: 0x87)

    @Test("A refusal is logged at once, and further ones a minute later with their number")
    func told() {
        var refusals = BrokerRefusals()
        let start = Instant(milliseconds: 1_000_000)
        func take(_ receipts: [PublishReceipt], _ seconds: Int64) -> [String]? {
            refusals.count(receipts, metrics, at: start.adding(seconds: seconds)).map { told in
                ["messages", "reason.code"].map { told[$0]?.description ?? "" }
            }
        }
        #expect(take([taken, taken], 0) == nil)
        #expect(take([taken, refused], 1) == ["1", "0x87"])
        #expect(take([refused, refused], 30) == nil)
        #expect(take([taken], 70) == nil)
        #expect(take([refused], 71) == ["3", "0x87"])
        #expect(take([refused], 72) == nil)
        // After the clock is set back, refusals are reported without waiting for the minute to end.
        #expect(take([refused], -100) == ["2", "0x87"])
    }
}
