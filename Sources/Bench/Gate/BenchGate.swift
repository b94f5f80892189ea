package import JSON
import Metering

/// Measures the cost of counting a message: `lamplighter-bench gate`.
///
/// It runs the broker plugin's code with the plugin's clock, for messages within the limits, for a
/// flood beyond a connection's limits, and for one beyond its source address's limits. Counting is
/// only a part of the gate's work for a message; `lamplighter-bench reports` shows the whole.
package struct BenchGate: Sendable {
    private let messages: Int
    private static let goal = 1_000.0

    /// Creates a benchmark with a number of messages of each kind.
    package init(messages: Int) {
        self.messages = messages
    }

    /// The result, in nanoseconds a message.
    package struct Result: GoalResult, Sendable {
        /// The time for messages within the limits.
        package let within: Double
        /// The time for messages beyond the connection's limits.
        package let beyond: Double
        /// The time for messages beyond their source address's limits.
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

        /// The result as a table.
        package var text: String { (["asked for"] + goals.map(\.text)).joined(separator: "\n") }

        /// The result as JSON.
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

    /// Runs the benchmark, which uses no connections or files.
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
        // The result is used, so that the compiler can't remove the work.
        precondition(passed <= messages)
        let parts = took.components
        return (Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9) / Double(messages)
    }
}
