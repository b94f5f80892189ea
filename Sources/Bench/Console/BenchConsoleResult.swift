package import JSON

/// The result of `lamplighter-bench console`, and whether it meets its goals.
package struct BenchConsoleResult: GoalResult, Sendable {
    let options: BenchConsoleOptions
    var rates: [OpenPages: [Double]] = [:]
    /// The service's processor time for each report, in microseconds.
    var micros: [OpenPages: [Double]] = [:]
    var delays: [OpenPages: [(p50: Double, p99: Double)]] = [:]
    /// The reports a second while latencies were measured.
    var pace = 0.0

    init(options: BenchConsoleOptions) { self.options = options }

    func rate(_ pages: OpenPages) -> Double { BenchGoal.median(rates[pages] ?? []) }

    func micro(_ pages: OpenPages) -> Double { BenchGoal.median(micros[pages] ?? []) }

    func p50(_ pages: OpenPages) -> Double { BenchGoal.median((delays[pages] ?? []).map(\.p50)) }

    func p99(_ pages: OpenPages) -> Double { BenchGoal.median((delays[pages] ?? []).map(\.p99)) }

    var goals: [BenchGoal] {
        [
            BenchGoal(
                name: "reports/s with three / without",
                value: Self.ratio(rates, \.self),
                limit: 0.98,
                isAtLeast: true
            ),
            BenchGoal(
                name: "p99 with three / without",
                value: Self.ratio(delays, \.p99),
                limit: 1.05,
                isAtLeast: false
            ),
        ]
    }

    /// Returns the median, over rounds, of the ratio of a figure with three pages to the same
    /// figure without.
    private static func ratio<Value>(
        _ measured: [OpenPages: [Value]],
        _ figure: (Value) -> Double
    ) -> Double {
        BenchGoal.median(
            zip(measured[.three] ?? [], measured[.none] ?? []).map { figure($0) / figure($1) }
        )
    }

    /// The result as a table.
    package var text: String {
        var lines = [
            "\(options.devices) devices report, \(options.stored) stored, \(options.rounds) rounds of "
                + "\(options.seconds) s, medians; latencies at \(Int(pace)) reports/s"
        ]
        for pages in OpenPages.allCases {
            lines.append(
                "  \(BenchGoal.padded(Int(rate(pages)), 8)) reports/s   \(BenchGoal.short(micro(pages))) µs each   "
                    + "p50 \(BenchGoal.short(p50(pages))) ms   p99 \(BenchGoal.short(p99(pages))) ms   \(pages.title)"
            )
        }
        lines.append("asked for")
        lines += goals.map(\.text)
        return lines.joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        let pages = OpenPages.allCases.map { pages in
            (
                pages.rawValue,
                JSONValue?.some(
                    .object(
                        JSONObject([
                            ("reportsPerSecond", .double(rate(pages))),
                            ("microsecondsPerReport", .double(micro(pages))),
                            ("p50", .double(p50(pages))), ("p99", .double(p99(pages))),
                        ])
                    )
                )
            )
        }
        return .object(
            JSONObject([
                ("devices", .integer(Int64(options.devices))),
                ("stored", .integer(Int64(options.stored))),
                ("open", .object(JSONObject(pages))), ("latencyReportsPerSecond", .double(pace)),
                ("goals", .array(goals.map(\.json))), ("met", .bool(isMet)),
            ])
        )
    }
}
