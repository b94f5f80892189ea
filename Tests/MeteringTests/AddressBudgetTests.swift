import TestKit
import Testing

@testable import Metering

@Suite("Limits of one source address")
struct AddressBudgetTests {
    /// A simulated address with several senders, each of which has its own rate of messages.
    private struct Crowd {
        var budget = AddressBudget(messagesPerSecond: 200, messageBurst: 2_000, now: 0)
        var senders: [AddressBudget.Sender]
        /// The number of messages that each sender has sent.
        var tried: [Int]
        /// The number of messages that have passed, for each sender.
        var passed: [Int]
        var toldAt: [Int64] = []

        init(_ count: Int) {
            senders = Array(repeating: AddressBudget.Sender(now: 0), count: count)
            (tried, passed) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
        }

        mutating func send(_ number: Int, at now: Int64) {
            tried[number] += 1
            switch budget.take(&senders[number], at: now) {
            case .within: passed[number] += 1
            case .beyond(let mustTell): if mustTell { toldAt.append(now) }
            }
        }

        /// Lets each sender send messages at its own rate, in messages per minute.
        mutating func live(_ rates: [Int], seconds: Range<Int64>) {
            let (first, end) = (seconds.lowerBound * 1_000, seconds.upperBound * 1_000)
            for now in stride(from: first, to: end, by: 10) {
                for (number, rate) in rates.enumerated() {
                    // The offset spreads the senders, so that they don't all send at the same time.
                    let moment = now + Int64(number) * 7
                    let rate = Int64(rate)
                    let due = moment * rate / 60_000 - (moment - 10) * rate / 60_000
                    for _ in 0..<due { send(number, at: now) }
                }
            }
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// The number of hostile senders, and the number of messages per minute that each of them sends.
        var hostile: (count: Int, rate: Int)
        var testDescription: String { name }
    }

    @Test(
        "A terminal that seldom sends is never limited beside a crowd, and the crowd stays within the limit",
        arguments: [
            Case(name: "two hundred at all their own limit allows", hostile: (200, 1_200)),
            Case(name: "two hundred far beyond it", hostile: (200, 6_000)),
            Case(name: "two hundred at a quarter of it", hostile: (200, 300)),
            Case(name: "two hundred at twice the seldom rate", hostile: (200, 120)),
            Case(name: "eleven at all their own limit allows", hostile: (11, 1_200)),
        ]
    )
    func fair(row: Case) {
        let count = row.hostile.count
        var crowd = Crowd(count + 1)
        let rates = Array(repeating: row.hostile.rate, count: count)

        crowd.live(rates, seconds: 0..<60)
        // When an app opens, it sends nine requests, and then one request every two seconds.
        for _ in 0..<9 { crowd.send(count, at: 60_000) }
        crowd.live(rates + [30], seconds: 60..<120)

        #expect(crowd.tried[count] == 39 && crowd.passed[count] == 39)
        let hostile = crowd.passed.dropLast().reduce(0, +)
        let seldom = count * AddressBudget.Sender.seldomBurst
        #expect(hostile <= 2_000 + seldom + 120 * 200 + 1)
        #expect(hostile >= 119 * 200)
        // Each hostile sender also gets its share of the address's limit.
        let shares = crowd.passed.dropLast()
        #expect(shares.min().map { $0 >= 60 } == true)
    }

    @Test("A thousand well-behaved terminals at one address are never limited, however low the address's limit")
    func honest() {
        var crowd = Crowd(1_000)
        crowd.budget = AddressBudget(messagesPerSecond: 1, messageBurst: 1, now: 0)

        for number in 0..<1_000 { for _ in 0..<9 { crowd.send(number, at: 0) } }
        crowd.live(Array(repeating: 59, count: 1_000), seconds: 0..<60)

        #expect(crowd.passed == crowd.tried)
        #expect(crowd.tried.allSatisfy { $0 >= 67 })
    }

    @Test(
        "Messages of infrequent senders count: a flood beside a thousand of them is almost stopped, and soon recovers"
    )
    func owed() {
        var crowd = Crowd(1_001)
        let honest = Array(repeating: 59, count: 1_000)

        crowd.live([60_000] + honest, seconds: 0..<60)
        let during = crowd.passed[0]
        crowd.live([60_000], seconds: 60..<70)

        #expect(during <= 2_000 + 10 + 60)
        #expect(crowd.passed[0] - during >= 8 * 200)
    }

    @Test(
        "A single sender has the burst, then the rate, and the first refusal in each second is reported"
    )
    func alone() {
        var crowd = Crowd(1)

        for _ in 0..<5_000 { crowd.send(0, at: 0) }
        #expect(crowd.passed == [2_000])
        crowd.live([60_000], seconds: 0..<5)

        // Some messages pass because their sender seldom sends. These messages also reduce the address's budget, so
        // they don't raise the total.
        #expect((2_990...3_001).contains(crowd.passed[0]))
        #expect(crowd.toldAt == [0, 1_000, 2_000, 3_000, 4_000])
    }

    @Test("A rate of 0 sets no limit, and a burst of 0 means one second of the rate")
    func edges() {
        var crowd = Crowd(1)
        crowd.budget = AddressBudget(messagesPerSecond: 0, messageBurst: 0, now: 0)
        for _ in 0..<10_000 { crowd.send(0, at: 0) }
        #expect(crowd.passed == [10_000])

        crowd = Crowd(1)
        crowd.budget = AddressBudget(messagesPerSecond: 40, messageBurst: 0, now: 0)
        for _ in 0..<10_000 { crowd.send(0, at: 0) }
        #expect(crowd.passed == [40])
    }

    @Test("Extreme numbers and clock jumps cause no trap and grant nothing") func extremes() {
        var crowd = Crowd(1)
        crowd.budget = AddressBudget(messagesPerSecond: .max, messageBurst: .max, now: 0)
        for now in [Int64.max, .min, 0, 1] { crowd.send(0, at: now) }
        #expect(crowd.passed == [4])

        crowd = Crowd(1)
        for _ in 0..<5_000 { crowd.send(0, at: -5_000) }
        #expect(crowd.passed == [2_000])
    }

    @Test("The address and the sender are reset once their buckets are full")
    func asNew() {
        var budget = AddressBudget(messagesPerSecond: 200, messageBurst: 2_000, now: 0)
        var sender = AddressBudget.Sender(now: 0)
        func areAsNew(at now: Int64) -> [Bool] { [budget.isAsNew(at: now), sender.isAsNew(at: now)] }
        #expect(areAsNew(at: 0) == [true, true])

        for _ in 0..<200 { _ = budget.take(&sender, at: 0) }

        #expect(areAsNew(at: 999) == [false, false])
        #expect(areAsNew(at: 1_000) == [true, false])
        #expect(areAsNew(at: 9_999) == [true, false])
        #expect(areAsNew(at: 10_000) == [true, true])
    }
}
