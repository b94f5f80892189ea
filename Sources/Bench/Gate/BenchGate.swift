package import JSON
import Metering

/// Measures the cost of counting a message: `lamplighter-bench gate`.
///
/// The same code as in the broker, with the clock that the broker's plugin asks: for messages within the limits, for
/// a flood beyond those of a connection, and for one beyond those of its source address. It is a part of what the
/// gate does for a message; the whole shows in `lamplighter-bench reports`.
package struct BenchGate: Sendable {
    private let messages: Int
    private static let goal = 1_000.0

    /// Prepares a benchmark of so many messages of each kind.
    package init(messages: Int) {
        self.messages = messages
    }

    /// The result, in nanoseconds a message.
    package struct Result: GoalResult, Sendable {
        /// For messages within the limits.
        package let within: Double
        /// For messages beyond the connection's.
        package let beyond: Double
        /// For messages beyond their source address's.
        package let beyondAddress: Double

        var goals: [BenchGoal] {
            [
                ("within the limits", within), ("beyond them", beyond),
                ("beyond the address's", beyondAddress),
            ].map { name, value in
                BenchGoal(
                    name: "ns a message \(name)",
                    value: value,
                    limit: BenchGate.goal,
                    isAtLeast: false
                )
            }
        }

        /// The result as a table for people.
        package var text: String { (["asked for"] + goals.map(\.text)).joined(separator: "\n") }

        /// The result for programs.
        package var json: JSONValue {
            [
                "nanoseconds": [
                    "within": .double(within), "beyond": .double(beyond),
                    "beyondAddress": .double(beyondAddress),
                ],
                "goals": .array(goals.map(\.json)), "met": .bool(isMet),
            ]
        }
    }

    private static let wide = Allowance(
        messagesPerSecond: 1_000_000_000,
        messageBurst: 0,
        bytesPerSecond: 1_000_000_000,
        byteBurst: 0
    )
    private static let narrow = Allowance(
        messagesPerSecond: 1,
        messageBurst: 1,
        bytesPerSecond: 1,
        byteBurst: 1
    )

    /// Runs it; takes no connection and no file.
    package func run() -> Result {
        Result(
            within: nanoseconds(Self.wide, addressPerSecond: 1_000_000_000),
            beyond: nanoseconds(Self.narrow, addressPerSecond: 1_000_000_000),
            beyondAddress: nanoseconds(Self.wide, addressPerSecond: 1)
        )
    }

    private func nanoseconds(_ allowance: Allowance, addressPerSecond: Int) -> Double {
        let begin = CoarseClock.milliseconds()
        var meter = Meter(allowance, patience: 10, now: begin)
        var address = AddressBudget(
            messagesPerSecond: addressPerSecond,
            messageBurst: 0,
            now: begin
        )
        var sender = AddressBudget.Sender(now: begin)
        var passed = 0
        let start = ContinuousClock.now
        for _ in 0..<messages {
            let now = CoarseClock.milliseconds()
            guard meter.take(bytes: 1, at: now) == .within else { continue }
            if address.take(&sender, at: now) == .within { passed += 1 }
        }
        let took = ContinuousClock.now - start
        // Used, so that none of it is left out.
        precondition(passed <= messages)
        let parts = took.components
        return (Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9) / Double(messages)
    }
}
