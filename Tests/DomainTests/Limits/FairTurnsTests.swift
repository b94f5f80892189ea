import Domain
import Testing

@Suite("Fair turns")
struct FairTurnsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var waiting: String
        var limit: Int
        var first: String
        var testDescription: String { "\(limit) of \(waiting)" }
    }

    @Test(
        "Senders take turns, and each sender's messages stay in order",
        arguments: [
            Case(waiting: "a1 a2 a3", limit: 3, first: "a1 a2 a3"),
            Case(waiting: "a1 a2 a3 b1", limit: 2, first: "a1 b1"),
            Case(waiting: "a1 a2 a3 a4 b1 b2 c1", limit: 5, first: "a1 b1 c1 a2 b2"),
            Case(waiting: "a1 b1", limit: 5, first: "a1 b1"), Case(waiting: "a1 a2", limit: 0, first: ""),
        ]
    )
    func turns(_ row: Case) {
        let waiting = row.waiting.split(separator: " ")
        let first = FairTurns.first(row.limit, of: waiting) { $0.first }
        #expect(first.joined(separator: " ") == row.first)
    }
}
