import Testing

@testable import Metering

@Suite("A worker's backlog and each device's share")
struct BacklogTests {
    /// An event, and the number of messages that should pass.
    enum Step: Sendable {
        case echo(Int64, seen: Int64)
        case away
        /// A device sends `count` messages at once, and `passed` of these messages pass.
        case sends(_ device: Int, _ count: Int, passed: Int)
        /// Each of `count` devices, beginning with device `from`, sends a message, and `passed` of these messages pass.
        case crowd(from: Int, _ count: Int, passed: Int)
        case left(Int)
    }

    /// A sequence of events, with the limit that applies to them.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var limit = 10
        var steps: [Step]

        init(_ name: String, limit: Int = 10, _ steps: [Step]) {
            (testDescription, self.limit, self.steps) = (name, limit, steps)
        }
    }

    static let cases = [
        Case("nothing is refused before the first echo", [.sends(0, 100, passed: 100), .left(0)]),
        Case(
            "a limit of 0 refuses nothing",
            limit: 0,
            [.echo(1, seen: 0), .sends(0, 100, passed: 100)]
        ),
        Case("alone, one has the whole limit", [.echo(1, seen: 0), .sends(0, 100, passed: 10)]),
        Case(
            "beside one who floods others have their share, and those below the limit have no bound",
            [
                .echo(1, seen: 0), .sends(0, 9, passed: 9), .sends(1, 1, passed: 1), .sends(0, 5, passed: 0),
                .sends(1, 9, passed: 4), .sends(2, 9, passed: 3), .left(17),
            ]
        ),
        Case(
            "what came before the echo that was seen is done, what came after it is not",
            [
                .echo(1, seen: 0), .sends(0, 20, passed: 10), .echo(2, seen: 1), .left(10), .sends(0, 1, passed: 0),
                .echo(3, seen: 2), .left(0), .sends(0, 20, passed: 10),
            ]
        ),
        Case(
            "an echo that tells of none that is newer changes nothing",
            [
                .echo(1, seen: 0), .sends(0, 20, passed: 10), .echo(2, seen: 0), .echo(3, seen: 0), .left(10),
                .sends(0, 1, passed: 0),
                // Echo 1 was lost, but echo 2 came back. This also shows that the worker has processed all messages
                // before echo 1.
                .echo(4, seen: 2), .left(10), .echo(5, seen: 3), .left(10), .echo(6, seen: 4), .left(0),
            ]
        ),
        Case(
            "a slow device is let through each time, whichever others flood",
            [
                .echo(1, seen: 0), .sends(0, 99, passed: 10), .sends(1, 1, passed: 1), .echo(2, seen: 1),
                .sends(0, 99, passed: 0), .sends(1, 1, passed: 1), .echo(3, seen: 2), .sends(0, 99, passed: 9),
                .sends(1, 1, passed: 1), .echo(4, seen: 3), .sends(0, 99, passed: 0), .sends(1, 1, passed: 1),
            ]
        ),
        Case(
            "more devices than the limit have one each",
            [
                .echo(1, seen: 0), .sends(0, 99, passed: 10), .crowd(from: 1, 50, passed: 50),
                .crowd(from: 0, 51, passed: 0), .left(60), .echo(2, seen: 1),
                .crowd(from: 0, 51, passed: 0), .echo(3, seen: 2),
                .crowd(from: 0, 51, passed: 51),
            ]
        ),
        Case(
            "who sends in both epochs is one sender",
            [
                .echo(1, seen: 0), .sends(0, 1, passed: 1), .sends(1, 1, passed: 1), .echo(2, seen: 1),
                .sends(0, 99, passed: 8), .left(10),
                // Each of the two senders has a share of five messages.
                .sends(1, 99, passed: 4),
            ]
        ),
        Case(
            "while the worker is away all pass, and its return resets the count",
            [
                .echo(1, seen: 0), .sends(0, 99, passed: 10), .away, .sends(0, 99, passed: 99), .echo(2, seen: 1),
                .left(0), .sends(0, 99, passed: 10),
            ]
        ),
        Case(
            "a worker whose numbers go back starts over",
            [
                .echo(100, seen: 0), .sends(0, 99, passed: 10), .echo(7, seen: 0), .left(0), .sends(0, 99, passed: 10),
                .echo(8, seen: 7), .echo(9, seen: 8), .left(0),
            ]
        ),
    ]

    @Test("The backlog is computed step by step", arguments: cases)
    func steps(_ example: Case) {
        var backlog = Backlog(limit: example.limit)
        var senders = [Backlog.Sender](repeating: Backlog.Sender(), count: 60)
        for (number, step) in example.steps.enumerated() {
            switch step {
            case .echo(let echo, let seen): backlog.note(echo: echo, seen: seen)
            case .away: backlog.end()
            case .left(let count): #expect(backlog.count == count, "step \(number)")
            case .sends(let device, let count, let passed):
                let did = (0..<count).count { _ in
                    backlog.take(&senders[device], at: 0) == .within
                }
                #expect(did == passed, "step \(number)")
            case .crowd(let first, let count, let passed):
                let did = (first..<first + count).count { backlog.take(&senders[$0], at: 0) == .within }
                #expect(did == passed, "step \(number)")
            }
        }
    }

    @Test("A long message counts as several messages")
    func units() {
        var backlog = Backlog(limit: 20)
        var senders = [Backlog.Sender](repeating: Backlog.Sender(), count: 2)
        backlog.note(echo: 1, seen: 0)
        let passed = (0..<5).count { _ in backlog.take(&senders[0], as: 12, at: 0) == .within }
        #expect(passed == 2 && backlog.count == 24)
        #expect(backlog.take(&senders[1], at: 0) == .within)
    }

    @Test("One refusal per device and second is reported")
    func told() {
        var backlog = Backlog(limit: 1)
        var sender = Backlog.Sender()
        backlog.note(echo: 1, seen: 0)
        #expect(backlog.take(&sender, at: 0) == .within)

        let told = stride(from: Int64(0), to: 3_000, by: 10).filter {
            backlog.take(&sender, at: $0) == .beyond(mustTell: true)
        }

        #expect(told == [0, 1_000, 2_000])
    }

    @Test("Five hundred devices that send twice the capacity get about equal shares and short delays") func overload() {
        var backlog = Backlog(limit: 2_000)
        var senders = [Backlog.Sender](repeating: Backlog.Sender(), count: 501)
        var passed = [Int](repeating: 0, count: 501)
        // The worker's queue. A negative number is an echo, and any other number is a device's message.
        var queue: [Int] = []
        var head = 0
        var (echo, longest) = (Int64(0), 0)
        var slowRefused = 0

        func send(_ device: Int, at now: Int64) -> Bool {
            guard backlog.take(&senders[device], at: now) == .within else { return false }
            passed[device] += 1
            queue.append(device)
            return true
        }
        func publishEcho(seen: Int64) {
            echo += 1
            backlog.note(echo: echo, seen: seen)
            queue.append(Int(-echo))
        }
        publishEcho(seen: 0)
        for now in Int64(0)..<20_000 {
            // Each millisecond, five different devices send one message each. In this time, the worker processes two or
            // three messages.
            for index in 0..<5 { _ = send(Int(now &* 5) % 500 + index, at: now) }
            if now % 1_000 == 0, !send(500, at: now) { slowRefused += 1 }
            for _ in 0..<(now % 2 == 0 ? 2 : 3) where head < queue.count {
                if queue[head] < 0 { publishEcho(seen: Int64(-queue[head])) }
                head += 1
            }
            longest = max(longest, queue.count - head)
        }

        #expect(slowRefused == 0)
        #expect(longest <= 4_000)
        #expect(head > 45_000, "the worker is never idle")
        let shares = passed.dropLast()
        #expect((shares.max() ?? 0) <= (shares.min() ?? 0) * 5 / 4)
    }
}
