import Testing

@testable import Workers

@Suite("The fair queue")
struct FairQueueTests {
    private func queue(
        _ waiting: Int = 20,
        bytes: Int = 1000,
        perSender: Int = .max,
        perAddress: Int = .max
    ) -> FairQueue<String> {
        FairQueue(PoolBounds(waiting: waiting, bytes: bytes, perSender: perSender, perAddress: perAddress))
    }

    /// Offers the elements of a plan (such as `a a b`) to a queue; returns displaced or refused elements.
    ///
    /// In the plan, each word names the sender of one element. A plus after the name marks a registration.
    private func offer(_ plan: String, to queue: inout FairQueue<String>) -> [String] {
        var gone: [String] = []
        for (number, word) in plan.split(separator: " ").enumerated() {
            let key = String(word.prefix(1))
            let sender = Sender(key, isRegistration: word.count > 1)
            switch queue.offer("\(key)\(number)", from: sender, bytes: 1) {
            case .taken(let instead): gone += instead
            case .crowded: gone.append("\(key)\(number)!")
            case .full: gone.append("\(key)\(number)?")
            }
        }
        return gone
    }

    private func drain(_ queue: inout FairQueue<String>) -> String {
        var order: [String] = []
        while let (element, sender) = queue.next() {
            order.append(String(element.prefix(1)))
            queue.end(sender)
        }
        return order.joined(separator: " ")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var plan: String
        var order: String
        var testDescription: String { name }
    }

    @Test(
        "Senders are served in turn",
        arguments: [
            Case(name: "one sender: in order", plan: "a a a", order: "a a a"),
            Case(name: "a flood and two others", plan: "a a a a a b c", order: "a b c a a a a"),
            Case(name: "who comes later comes soon", plan: "a a a b b", order: "a b a b a"),
            Case(
                name: "logins before registrations, three to one",
                plan: "r+ r+ r+ a b c d e",
                order: "a b c r d e r r"
            ),
            Case(name: "registrations alone", plan: "r+ s+ r+", order: "r s r"),
        ]
    )
    func turns(_ row: Case) {
        var queue = queue()
        #expect(offer(row.plan, to: &queue).isEmpty)
        #expect(drain(&queue) == row.order)
        #expect(queue.count == 0 && queue.bytes == 0 && queue.senders == 0)
    }

    @Test("A full queue drops messages only from senders with more than a tenth of it")
    func share() {
        var queue = queue(10)
        #expect(offer("a a a a a a a a a a", to: &queue).isEmpty)
        #expect(offer("a", to: &queue) == ["a0?"])
        #expect(offer("b b", to: &queue) == ["a9", "b1?"])
        #expect(offer("c d e f g h i j", to: &queue).count == 8)
        #expect(offer("k", to: &queue) == ["k0?"])
        #expect(drain(&queue).split(separator: " ").count == 10)
    }

    @Test("A login replaces a registration in a full queue, and never the other way round") func loginsFirst() {
        var queue = queue(3)
        #expect(offer("r+ s+ a", to: &queue).isEmpty)
        #expect(offer("b", to: &queue).count == 1)
        #expect(offer("c", to: &queue).count == 1)
        #expect(offer("t+ d", to: &queue) == ["t0?", "d1?"])
        #expect(drain(&queue) == "a b c")
    }

    @Test("A sender and an address have a limited number of places, waiting or in progress")
    func held() {
        var queue = queue(perSender: 2, perAddress: 3)
        let senders = ["a", "b", "c", "d"].map { Sender($0, address: "10.0.0.1") }
        for sender in [senders[0], senders[0], senders[1]] {
            guard case .taken = queue.offer("x", from: sender, bytes: 1) else {
                Issue.record("not taken")
                return
            }
        }
        let running = queue.next()
        guard case .crowded = queue.offer("x", from: senders[0], bytes: 1),
            case .crowded = queue.isOpen(to: senders[2], beside: []),
            case .crowded = queue.offer("x", from: senders[2], bytes: 1),
            case .taken = queue.offer("x", from: Sender("e"), bytes: 1)
        else {
            Issue.record("not refused")
            return
        }
        if let running { queue.end(running.sender) }
        guard case .taken = queue.offer("x", from: senders[2], bytes: 1) else {
            Issue.record("not taken after one was done")
            return
        }
    }

    @Test("Other messages of the same batch count as waiting")
    func beside() {
        let queue = queue(3, perSender: 2)
        let sender = Sender("a")
        guard case .taken = queue.isOpen(to: sender, beside: [sender]),
            case .crowded = queue.isOpen(to: sender, beside: [sender, sender]),
            case .full = queue.isOpen(to: sender, beside: [Sender("b"), Sender("c"), Sender("d")])
        else {
            Issue.record("others of the batch were not counted")
            return
        }
    }

    @Test("The queue is limited in bytes, too")
    func bytes() {
        var queue = queue(100, bytes: 100)
        guard case .taken = queue.offer("x", from: Sender("a"), bytes: 60),
            case .full = queue.offer("x", from: Sender("b"), bytes: 60),
            case .full = queue.offer("x", from: Sender("b"), bytes: 101)
        else {
            Issue.record("more bytes than there is room for")
            return
        }
        #expect(queue.bytes == 60)
        #expect(queue.removeAll() == ["x"])
        #expect(queue.bytes == 0 && queue.senders == 0)
    }

    @Test("A queue that is never empty keeps no removed elements")
    func forgets() {
        final class Mark {}
        let bounds = PoolBounds(waiting: 20, bytes: 1000, perSender: .max, perAddress: .max)
        var queue = FairQueue<Mark>(bounds)
        weak var first: Mark?
        do {
            let mark = Mark()
            first = mark
            _ = queue.offer(mark, from: Sender("a"), bytes: 1)
        }
        for _ in 0..<10 {
            _ = queue.offer(Mark(), from: Sender("a"), bytes: 1)
            queue.end(queue.next()?.sender ?? Sender("a"))
        }
        #expect(first == nil)
        #expect(queue.count == 1)
    }
}
