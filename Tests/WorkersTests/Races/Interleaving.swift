/// An order of two racers' steps: a number of one racer's, then of the other's, and so on; then the first runs to its
/// end, and the second after it.
///
/// A racer that is blocked by the other lets the other go on.
struct Interleaving: Sendable, CustomStringConvertible {
    /// A number of steps of one racer.
    struct Segment: Sendable {
        var racer: Int
        var steps: Int
        /// Whether the segment ends with the transaction.
        var isTransaction = false
    }

    var segments: [Segment]

    /// Interrupts a racer after some steps for some steps of the other, by default all.
    init(of first: Int, after steps: Int, others: Int = .max) {
        segments = [
            Segment(racer: first, steps: steps), Segment(racer: 1 - first, steps: others),
            Segment(racer: first, steps: .max), Segment(racer: 1 - first, steps: .max),
        ]
    }

    /// Lets one racer run to its end before the other begins.
    init(first: Int) { self.init(of: first, after: .max) }

    /// Whether one racer runs from beginning to end while the other stands at one place.
    var isWhole: Bool {
        segments[1].steps == .max || segments.count == 5
    }

    /// Creates an order of whole transactions, one after another.
    init(transactions turns: [Int]) {
        segments = turns.map { Segment(racer: $0, steps: .max, isTransaction: true) }
        segments += [0, 1].map { Segment(racer: $0, steps: .max) }
    }

    private init(_ turns: [Int]) {
        segments = []
        for racer in turns {
            if segments.last?.racer == racer {
                segments[segments.count - 1].steps += 1
            } else {
                segments.append(Segment(racer: racer, steps: 1))
            }
        }
        segments += [0, 1].map { Segment(racer: $0, steps: .max) }
    }

    var description: String {
        segments.map { "\($0.racer == 0 ? "A" : "B")\($0.steps == .max ? "…" : "\($0.steps)")" }.joined(separator: " ")
    }

    /// The largest number of orders of which all are tried.
    static let allMax = 400

    /// Returns all orders for the racers' numbers of steps, or nil if there are more than `allMax`.
    static func all(_ steps: [Int]) -> [Interleaving]? {
        var count = 1.0
        for number in 0..<min(steps[0], steps[1]) {
            count = count * Double(steps[0] + steps[1] - number) / Double(number + 1)
        }
        guard count <= Double(allMax) else { return nil }
        return turns(steps).map { Interleaving($0) }
    }

    /// Returns all orders for the racers' numbers of turns.
    static func turns(_ counts: [Int]) -> [[Int]] {
        var turns: [[Int]] = [[]]
        for _ in 0..<(counts[0] + counts[1]) {
            turns = turns.flatMap { turn in
                [0, 1].filter { racer in turn.count { $0 == racer } < counts[racer] }
                    .map { turn + [$0] }
            }
        }
        return turns
    }

    /// Returns the orders in which one racer is interrupted once, at any of its steps, for all or some of the other's
    /// steps.
    static func bounded(_ steps: [Int]) -> [Interleaving] {
        var orders: [Interleaving] = []
        for first in [0, 1] {
            for place in 1..<max(2, steps[first]) {
                orders.append(Interleaving(of: first, after: place))
                for others in 1..<max(1, steps[1 - first]) {
                    orders.append(Interleaving(of: first, after: place, others: others))
                }
            }
        }
        return orders
    }
}
