import Domain
import Testing
import Wire

@testable import Mosquitto
@testable import Workers

@Suite("Turns of senders")
struct TurnQueueTests {
    /// Returns an intake with one message for each character, as if the broker had sent them together.
    ///
    /// A small letter stands for a device's report. A capital letter stands for a terminal's request that reads much
    /// data. A digit stands for an ordinary request of terminal A. `!` stands for a registration, and `*` for a message
    /// of the service itself.
    private func intake(_ senders: String) -> Intake {
        var intake = Intake()
        for (number, sender) in senders.enumerated() {
            let topic =
                switch sender {
                case "!": "ll/v1/product/p/0123456789ab/register"
                case "*": "ll/v1/system/token-used"
                case "A"..."Z": "ll/v1/app/a/t-\(sender.lowercased())/request/device/history"
                case "1"..."9": "ll/v1/app/a/t-a/request/device/control"
                default: "ll/v1/device/d-\(sender)/report"
                }
            let place = Array(topic.utf8).withUnsafeBytes { intake.store($0) }
            let payload = Array("\(sender)\(number)".utf8).withUnsafeBytes { intake.store($0) }
            intake.append(
                Delivery(
                    topic: place,
                    payload: payload,
                    quality: .atLeastOnce,
                    isRetained: false
                )
            )
        }
        return intake
    }

    private func queue(_ limits: Limits = Limits()) -> TurnQueue {
        TurnQueue(Parties(Topics(), longReadings: ["device/history"]), limits)
    }

    private func text(_ batch: [Inbound]) -> String {
        batch.map { String(decoding: $0.payload.prefix(1), as: UTF8.self) }.joined()
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var senders: String
        var batches: [String]
        var acknowledged: [Int]
        var testDescription: String { senders }
    }

    static let cases = [
        Case(senders: "aab", batches: ["aab"], acknowledged: [3]),
        Case(senders: "aaaaab", batches: ["aba", "aaa"], acknowledged: [2, 4]),
        Case(senders: "aabbcc", batches: ["abc", "abc"], acknowledged: [1, 5]),
        Case(senders: "aaaa*b", batches: ["*ab", "aaa"], acknowledged: [1, 5]),
        // A registration waits for the messages received before it, but not for later messages.
        Case(senders: "aab!bb", batches: ["aba", "!bb"], acknowledged: [3, 3]),
        Case(senders: "!aaaaa", batches: ["!aa", "aaa"], acknowledged: [3, 3]),
        // A request that reads much data waits for its terminal's earlier requests. The request also waits for other
        // messages, but not forever. The request is already acknowledged while it waits.
        Case(senders: "AaBbc", batches: ["abc", "AB"], acknowledged: [5, 0]),
        Case(senders: "AAaaaab", batches: ["abaA", "aaA"], acknowledged: [4, 3]),
        Case(senders: "12AB", batches: ["12B", "A"], acknowledged: [4, 0]),
    ]

    @Test("Each message waits after its sender's earlier messages", arguments: cases)
    func turns(_ row: Case) {
        var queue = queue()
        var waiting = intake(row.senders)
        var batches: [String] = []
        var acknowledged: [Int] = []
        while batches.count < row.batches.count {
            batches.append(text(queue.next(waiting, upTo: 3)))
            acknowledged.append(queue.finishBatch())
            waiting = Intake()
        }
        #expect(batches == row.batches)
        #expect(acknowledged == row.acknowledged)
        #expect(queue.isIdle && queue.count == 0 && queue.bytes == 0 && queue.oldest == nil)
    }

    @Test("A late sender is served before the rest of a flood, and acknowledged in order")
    func late() {
        var queue = queue()
        _ = queue.next(intake(String(repeating: "a", count: 100)), upTo: 10)
        #expect(queue.finishBatch() == 10)
        #expect(text(queue.next(intake("b"), upTo: 10)).contains("b"))
        #expect(queue.finishBatch() == 9)
        #expect(queue.count == 81)
        var left = 82
        while queue.count > 0 {
            _ = queue.next(Intake(), upTo: 50)
            left -= queue.finishBatch()
        }
        #expect(left == 0)
    }

    @Test("Long readings beyond a terminal's share are refused, and others' are not") func readings() {
        var limits = Limits()
        limits.intakeMax = 40
        var queue = queue(limits)
        _ = queue.next(intake(String(repeating: "A", count: 30) + "B"), upTo: 1)
        #expect(queue.finishBatch() > 20)
        let refused = queue.takeRefused()
        #expect(refused.count == 21)
        #expect(refused.allSatisfy { $0.message.topicText.contains("t-a") })
        #expect(refused.allSatisfy { $0.rejection.code == .tooManyRequests })
        var batches: [String] = []
        while queue.count > 0 {
            batches.append(text(queue.next(Intake(), upTo: 1)))
            _ = queue.finishBatch()
        }
        #expect(batches.prefix(3).contains("B"))
        #expect(batches.count == 9 && queue.isIdle && queue.bytes == 0)
    }

    @Test("A long reading that waited for its terminal's budget doesn't wait again") func heldReadings() {
        let parties = Parties(Topics(), longReadings: ["device/history"])
        let terminal = parties.party(of: "ll/v1/app/a/t-a/request/device/history").key
        let budget = AnswerBudget(bytesPerSecond: 1_000)
        var queue = TurnQueue(parties, budget: budget)
        var now = ContinuousClock.now
        budget.charge(3_000, to: terminal, at: now)
        var batches = [text(queue.next(intake("ABAA"), upTo: 10, at: now))]
        #expect(queue.finishBatch() == 4)
        for _ in 0..<3 {
            now += .seconds(2)
            batches.append(text(queue.next(Intake(), upTo: 10, at: now)))
            #expect(queue.finishBatch() == 0)
            budget.charge(2_000, to: terminal, at: now)
        }
        #expect(batches == ["B", "A", "A", "A"])
    }

    @Test("A large message takes as many turns as its size requires")
    func large() {
        var line = FairLine<UInt64, String>(turnBytes: 1_000)
        for n in 0..<2 { line.append("large\(n)", of: 1, size: 3_500) }
        for n in 0..<6 { line.append("small\(n)", of: 2, size: 100) }
        let order = (0..<8).compactMap { _ in line.popFirst() }
        #expect(order == ["small0", "small1", "small2", "large0", "small3", "small4", "small5", "large1"])
        #expect(line.popFirst() == nil && line.count == 0)
    }

    @Test("The gate's messages about a device stay in order with the device's own")
    func presence() {
        let parties = Parties(Topics())
        func key(_ topic: String) -> UInt64 { parties.party(of: topic).key }
        #expect(key("ll/v1/system/presence/d-1") == key("ll/v1/device/d-1/report"))
        #expect(key("ll/v1/user/u1/device/d-1/status") == key("ll/v1/user/u1/device/d-2/event"))
        #expect(key("ll/v1/user/u1/device") != key("ll/v1/user/u2/device"))
        #expect(key("ll/v1/app/a/t1/response") == key("ll/v1/app/a/t1/session"))
        #expect(key("ll/v1/app/a/t1/response") != key("ll/v1/app/a/t2/response"))
    }

    @Test("Costly messages make the next batch smaller, and cheap ones make it larger again")
    func pace() {
        var limits = Limits()
        limits.turnMax = .milliseconds(20)
        var pace = BatchPace(limits)
        #expect(pace.size == 500)
        pace.adapt(to: 500, took: .seconds(1))
        #expect(pace.size == 250)
        for _ in 0..<10 { pace.adapt(to: pace.size, took: .milliseconds(2 * pace.size)) }
        #expect(pace.size == 10)
        for _ in 0..<10 { pace.adapt(to: pace.size, took: .milliseconds(1)) }
        #expect(pace.size == 500)
    }

    @Test("With a remote database, batches stay large if smaller ones would not be faster") func paceElsewhere() {
        var limits = Limits()
        limits.turnMax = .milliseconds(20)
        var pace = BatchPace(limits, isElsewhere: true)
        for count in [1, 50, 500] { pace.adapt(to: count, took: .milliseconds(100 + count / 10)) }
        #expect(pace.size == 500)
        pace.adapt(to: 500, took: .seconds(1))
        #expect(pace.size == 250)
        var near = BatchPace(limits)
        for _ in 0..<10 { near.adapt(to: near.size, took: .milliseconds(100)) }
        #expect(near.size == 1)
    }

    @Test("A lane's first batch is small, and later ones grow")
    func firstPace() {
        var limits = Limits()
        limits.turnMax = .milliseconds(20)
        var pace = BatchPace(limits, isShared: true)
        #expect(pace.size == 16)
        for _ in 0..<10 { pace.adapt(to: pace.size, took: .milliseconds(1)) }
        #expect(pace.size == 500)
        limits.batchMax = 10
        #expect(BatchPace(limits, isShared: true).size == 10)
        #expect(BatchPace(limits).size == 10)
    }
}
