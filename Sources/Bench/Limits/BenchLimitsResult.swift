package import JSON

/// The result of `bench limits`, and whether it meets its goals.
package struct BenchLimitsResult: GoalResult, Sendable {
    private let options: BenchLimitsOptions
    private var limitedRates: [Double] = []
    private var freeRates: [Double] = []
    private var limitedDelays: [Double] = []
    private var freeDelays: [Double] = []

    init(options: BenchLimitsOptions) { self.options = options }

    /// Takes what one round measured with limits and without.
    mutating func add(
        rates: (limited: Double, free: Double),
        delays: (limited: Double, free: Double)
    ) {
        limitedRates.append(rates.limited)
        freeRates.append(rates.free)
        limitedDelays.append(delays.limited)
        freeDelays.append(delays.free)
    }

    var goals: [BenchGoal] {
        [
            BenchGoal(
                name: "reports with limits / without, round by round",
                value: Self.ratio(limitedRates, freeRates),
                limit: 0.97,
                isAtLeast: true
            ),
            BenchGoal(
                name: "command round trip p50 with limits / without, round by round",
                value: Self.ratio(limitedDelays, freeDelays),
                limit: 1.03,
                isAtLeast: false
            ),
        ]
    }

    /// Returns the median of the rounds' ratios.
    private static func ratio(_ one: [Double], _ other: [Double]) -> Double {
        BenchGoal.median(zip(one, other).map { $0 / $1 })
    }

    /// The result as a table for people.
    package var text: String {
        let lines = [
            "\(options.devices) devices, \(options.rounds) rounds of \(options.seconds) s, medians",
            line("with limits", limitedRates, delays: limitedDelays),
            line("without", freeRates, delays: freeDelays), "asked for",
        ]
        return (lines + goals.map(\.text)).joined(separator: "\n")
    }

    private func line(_ title: String, _ rates: [Double], delays: [Double]) -> String {
        "  \(BenchGoal.filled(title, 11)) \(BenchGoal.padded(Int(BenchGoal.median(rates)), 8)) reports/s   "
            + "command p50 \(BenchGoal.short(BenchGoal.median(delays))) ms"
    }

    /// The result for programs.
    package var json: JSONValue {
        let part = { (rates: [Double], delays: [Double]) -> JSONValue in
            .object([
                "reportsPerSecond": .double(BenchGoal.median(rates)),
                "commandMilliseconds": .double(BenchGoal.median(delays)),
            ])
        }
        return .object(
            JSONObject([
                ("limited", part(limitedRates, limitedDelays)),
                ("free", part(freeRates, freeDelays)),
                ("goals", .array(goals.map(\.json))), ("met", .bool(isMet)),
            ])
        )
    }
}
