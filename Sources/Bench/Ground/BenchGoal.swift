package import JSON

/// The result of a benchmark, and whether it meets its goals.
package protocol BenchOutcome {
    /// The result as text.
    var text: String { get }
    /// The result as JSON.
    var json: JSONValue { get }
    /// Whether the result meets its goals.
    var isMet: Bool { get }
}

/// A result that is met if every goal is.
protocol GoalResult: BenchOutcome {
    var goals: [BenchGoal] { get }
}

extension GoalResult {
    /// Whether every goal was met.
    package var isMet: Bool { goals.allSatisfy(\.isMet) }
}

/// A goal of a benchmark, with the measured value.
struct BenchGoal {
    let name: String
    let value: Double
    let limit: Double
    let isAtLeast: Bool

    var isMet: Bool { isAtLeast ? value >= limit : value <= limit }

    /// The goal as a line.
    var text: String {
        "  \(isMet ? "ok    " : "MISSED") \(name): \(Self.short(value)) "
            + "(\(isAtLeast ? "at least" : "at most") \(Self.short(limit)))"
    }

    /// The goal as JSON.
    var json: JSONValue {
        .object(
            JSONObject([
                ("name", .string(name)), ("value", .double(value)), ("limit", .double(limit)),
                ("met", .bool(isMet)),
            ])
        )
    }

    /// Returns the median, since machines vary; 0 for no values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns a number with two decimals, or without decimals from a hundred on.
    static func short(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let hundredths = (value * 100).rounded() / 100
        return hundredths >= 100 ? "\(Int(hundredths))" : "\(hundredths)"
    }

    /// Returns a text padded with spaces on the right.
    static func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Returns an integer padded with spaces on the left.
    static func padded(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
