package import JSON

/// The result of `lamplighter-bench commands`, and whether it meets its goals.
package struct BenchCommandsResult: GoalResult, Sendable {
    private let options: BenchCommandsOptions
    private var p50: [String: [Double]] = [:]
    private var p99: [String: [Double]] = [:]

    init(options: BenchCommandsOptions) { self.options = options }

    /// Adds the round trips of a measurement, in milliseconds, ascending.
    mutating func add(_ delays: [Double], to part: String) {
        p50[part, default: []].append(Self.at(0.5, delays))
        p99[part, default: []].append(Self.at(0.99, delays))
    }

    /// Returns the value below which a share of the sorted values lies; 0 if there are none.
    static func at(_ share: Double, _ sorted: [Double]) -> Double {
        sorted.isEmpty ? 0 : sorted[Int(Double(sorted.count - 1) * share)]
    }

    private func median(_ part: String) -> Double { BenchGoal.median(p99[part] ?? []) }

    var goals: [BenchGoal] {
        [
            BenchGoal(
                name: "round trip p99 / bare broker",
                value: median("service") / median("bare"),
                limit: 2.5,
                isAtLeast: false
            ),
            BenchGoal(
                name: "round trip p99 beside \(options.users) users of one device / alone",
                value: median("crowd") / median("service"),
                limit: 2,
                isAtLeast: false
            ),
        ]
    }

    private static let titles = [
        ("bare", "four hops through the bare broker"),
        ("flushed", "the same, each message passed on once this disk has 20 KB more"),
        ("service", "through Lamplighter"),
        ("crowd", "the same beside a report a second to all users"),
    ]

    /// The result as a table.
    package var text: String {
        var lines = [
            "\(Int(options.rate)) commands/s to \(options.devices) devices, \(options.rounds) rounds "
                + "of \(options.seconds) s, medians"
        ]
        for (part, title) in Self.titles {
            let middle = BenchGoal.short(BenchGoal.median(p50[part] ?? []))
            lines.append("  p50 \(middle) ms, p99 \(BenchGoal.short(median(part))) ms   \(title)")
        }
        lines.append("asked for")
        return (lines + goals.map(\.text)).joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        let parts = Self.titles.map { part, _ -> (String, JSONValue?) in
            (
                part,
                .object([
                    "p50": .double(BenchGoal.median(p50[part] ?? [])),
                    "p99": .double(median(part)),
                ])
            )
        }
        return .object(
            JSONObject([
                ("milliseconds", .object(JSONObject(parts))),
                ("goals", .array(goals.map(\.json))), ("met", .bool(isMet)),
            ])
        )
    }
}
