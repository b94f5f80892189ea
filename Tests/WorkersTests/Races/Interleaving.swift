/// The order of two racers' steps, in segments that each belong to one racer.
///
/// At the end, one racer runs all its remaining steps, and then the other does. While a racer is waiting for a lock of
/// the other racer, the other racer continues.
struct Interleaving: Sendable, CustomStringConvertible {
    /// A number of consecutive steps of one racer.
    struct Segment: Sendable {
        var racer: Int
        var steps: Int
        /// Whether the segment ends when the racer's transaction ends.
        var isTransaction = false
    }

    var segments: [Segment]

    /// Creates an order in which the first racer takes `steps` steps, and the other racer then takes `others` steps.
    init(of first: Int, after steps: Int, others: Int = .max) {
        segments = [
            Segment(racer: first, steps: steps), Segment(racer: 1 - first, steps: others),
            Segment(racer: first, steps: .max), Segment(racer: 1 - first, steps: .max),
        ]
    }

    /// Creates an order in which one racer runs to its end before the other begins.
    init(first: Int) { self.init(of: first, after: .max) }

    /// Whether one racer is interrupted once, while the other runs from beginning to end.
    var isWhole: Bool {
        segments[1].steps == .max || segments.count == 5
    }

    /// Creates an order in which the racers take turns only between transactions.
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

    /// If no limit is given, a race with at most this many possible orders is run in every order.
    static let allMax = 400

    /// Returns every order of the racers' steps, or nil if more than `allMax` exist.
    static func all(_ steps: [Int]) -> [Interleaving]? {
        var count = 1.0
        for number in 0..<min(steps[0], steps[1]) {
            count = count * Double(steps[0] + steps[1] - number) / Double(number + 1)
        }
        guard count <= Double(allMax) else { return nil }
        return turns(steps).map { Interleaving($0) }
    }

    /// Returns every possible order of `counts[0]` turns of racer 0 and `counts[1]` turns of racer 1.
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

    /// Returns all orders in which one racer is interrupted once, while the other takes one or more steps.
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
