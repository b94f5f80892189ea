import JSON

/// A goal of a benchmark: a measured value and the limit for it.
struct BenchGoal: Sendable {
    private let name: String
    private let value: Double
    private let limit: Double
    private let isAtLeast: Bool

    /// Creates a goal that is met if the value is at least the limit.
    init(_ name: String, _ value: Double, atLeast limit: Double) {
        (self.name, self.value, self.limit, isAtLeast) = (name, value, limit, true)
    }

    /// Creates a goal that is met if the value is at most the limit.
    init(_ name: String, _ value: Double, atMost limit: Double) {
        (self.name, self.value, self.limit, isAtLeast) = (name, value, limit, false)
    }

    var isMet: Bool { isAtLeast ? value >= limit : value <= limit }

    /// The goal as a line of text.
    var text: String {
        "  \(isMet ? "ok    " : "MISSED") \(name): \(value.short) "
            + "(\(isAtLeast ? "at least" : "at most") \(limit.short))"
    }

    /// The goal as JSON.
    var json: JSONValue {
        ["name": .string(name), "value": .double(value), "limit": .double(limit), "met": .bool(isMet)]
    }
}
