package import JSON

/// What a benchmark found, and whether that is what is asked for.
package struct BenchResult: Sendable {
    let options: BenchReportsOptions
    var rates: [BenchPhase: [Double]] = [:]
    var delays: [BenchPhase: [(p50: Double, p99: Double)]] = [:]
    /// Reports a second while latencies were measured.
    var pace = 0.0
    var largeRates: [BenchPhase: [Double]] = [:]
    var readySeconds: [Double] = []
    var memory: [Double] = []
    var connects: [Double] = []

    init(options: BenchReportsOptions) { self.options = options }

    func rate(_ phase: BenchPhase) -> Double { Self.median(rates[phase] ?? []) }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// One thing that is asked for, with what came out.
    struct Goal {
        let name: String
        let value: Double
        let limit: Double
        let isAtLeast: Bool

        var isMet: Bool { isAtLeast ? value >= limit : value <= limit }
    }

    var goals: [Goal] {
        var goals = [
            Goal(name: "C / A", value: rate(.unbound) / rate(.plain), limit: 1, isAtLeast: true),
            Goal(name: "D / B", value: rate(.bound) / rate(.relay), limit: 0.7, isAtLeast: true),
        ]
        if delays[.bound] != nil {
            let ratio = p99(.bound) / p99(.relay)
            goals.append(Goal(name: "p99 D / p99 B", value: ratio, limit: 3, isAtLeast: false))
        }
        if options.stored > 0 {
            for phase in [BenchPhase.unbound, .bound] {
                let ratio = Self.median(largeRates[phase] ?? []) / rate(phase)
                goals.append(
                    Goal(
                        name: "\(phase.rawValue) with \(options.stored) stored / with few",
                        value: ratio,
                        limit: 0.8,
                        isAtLeast: true
                    )
                )
            }
            goals += [
                Goal(
                    name: "resident memory, MB",
                    value: memory.max() ?? 0,
                    limit: 150,
                    isAtLeast: false
                ),
                Goal(
                    name: "start to ready, s",
                    value: Self.median(readySeconds),
                    limit: 2,
                    isAtLeast: false
                ),
                Goal(
                    name: "authenticated connects/s",
                    value: Self.median(connects),
                    limit: 3000,
                    isAtLeast: true
                ),
            ]
        }
        return goals
    }

    func p50(_ phase: BenchPhase) -> Double { Self.median((delays[phase] ?? []).map(\.p50)) }

    func p99(_ phase: BenchPhase) -> Double { Self.median((delays[phase] ?? []).map(\.p99)) }

    /// Whether everything that is asked for was reached.
    package var isMet: Bool { goals.allSatisfy(\.isMet) }

    /// The result as a table for people.
    package var text: String {
        var lines = [
            "\(options.devices) devices, QoS 1, \(options.rounds) rounds of \(options.seconds) s, medians"
        ]
        for phase in BenchPhase.allCases {
            lines.append(
                "  \(phase.rawValue)  \(Self.padded(Int(rate(phase)), 8)) reports/s   \(phase.title)"
            )
        }
        if delays[.bound] != nil {
            lines.append("at \(Int(pace)) reports/s, from a device's publish to the app's receipt")
            for phase in [BenchPhase.relay, .bound] {
                lines.append(
                    "  \(phase.rawValue)  p50 \(Self.short(p50(phase))) ms   "
                        + "p99 \(Self.short(p99(phase))) ms"
                )
            }
        }
        for (phase, rates) in largeRates.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append(
                "  \(phase.rawValue)  \(Self.padded(Int(Self.median(rates)), 8)) reports/s   "
                    + "with \(options.stored) devices in the store"
            )
        }
        lines.append("asked for")
        for goal in goals {
            lines.append(
                "  \(goal.isMet ? "ok    " : "MISSED") \(goal.name): \(Self.short(goal.value)) "
                    + "(\(goal.isAtLeast ? "at least" : "at most") \(Self.short(goal.limit)))"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// The result for programs.
    package var json: JSONValue {
        let rates = BenchPhase.allCases.map { phase in
            (phase.rawValue, JSONValue?.some(.double(rate(phase))))
        }
        let delays = [BenchPhase.relay, .bound].map { phase in
            let pair = JSONObject([
                ("p50", .double(p50(phase))), ("p99", .double(p99(phase))),
            ])
            return (phase.rawValue, JSONValue?.some(.object(pair)))
        }
        let goals = goals.map { goal in
            JSONValue.object(
                JSONObject([
                    ("name", .string(goal.name)), ("value", .double(goal.value)),
                    ("limit", .double(goal.limit)), ("met", .bool(goal.isMet)),
                ])
            )
        }
        return .object(
            JSONObject([
                ("devices", .integer(Int64(options.devices))),
                ("reportsPerSecond", .object(JSONObject(rates))),
                ("latencyMilliseconds", .object(JSONObject(delays))),
                ("latencyReportsPerSecond", .double(pace)), ("goals", .array(goals)),
                ("met", .bool(isMet)),
            ])
        )
    }

    private static func short(_ value: Double) -> String {
        guard value.isFinite else { return "?" }
        let hundredths = (value * 100).rounded() / 100
        return hundredths >= 100 ? "\(Int(hundredths))" : "\(hundredths)"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
