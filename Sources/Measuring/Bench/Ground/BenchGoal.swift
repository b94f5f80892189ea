import JSON

/// A goal of a benchmark, with the measured value.
struct BenchGoal: Sendable {
    private let name: String
    private let value: Double
    private let limit: Double
    private let isAtLeast: Bool

    /// Makes a goal that is met by the limit or a larger value.
    init(_ name: String, _ value: Double, atLeast limit: Double) {
        (self.name, self.value, self.limit, isAtLeast) = (name, value, limit, true)
    }

    /// Makes a goal that is met by the limit or a smaller value.
    init(_ name: String, _ value: Double, atMost limit: Double) {
        (self.name, self.value, self.limit, isAtLeast) = (name, value, limit, false)
    }

    var isMet: Bool { isAtLeast ? value >= limit : value <= limit }

    /// The goal as a line.
    var text: String {
        "  \(isMet ? "ok    " : "MISSED") \(name): \(value.short) "
            + "(\(isAtLeast ? "at least" : "at most") \(limit.short))"
    }

    /// The goal as JSON.
    var json: JSONValue {
        ["name": .string(name), "value": .double(value), "limit": .double(limit), "met": .bool(isMet)]
    }
}
