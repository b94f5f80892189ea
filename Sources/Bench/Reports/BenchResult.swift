package import JSON

/// The result of `lamplighter-bench reports`, and whether it meets its goals.
package struct BenchResult: GoalResult, Sendable {
    let options: BenchReportsOptions
    var rates: [BenchPhase: [Double]] = [:]
    var delays: [BenchPhase: [(p50: Double, p99: Double)]] = [:]
    /// The reports a second while latencies were measured.
    var pace = 0.0
    var largeRates: [BenchPhase: [Double]] = [:]
    var readySeconds: [Double] = []
    var memory: [Double] = []
    var connects: [Double] = []

    init(options: BenchReportsOptions) { self.options = options }

    func rate(_ phase: BenchPhase) -> Double { BenchGoal.median(rates[phase] ?? []) }

    var goals: [BenchGoal] {
        var goals = [
            BenchGoal(
                name: "C / A",
                value: rate(.unbound) / rate(.plain),
                limit: 1,
                isAtLeast: true
            ),
            BenchGoal(
                name: "D / B",
                value: rate(.bound) / rate(.relay),
                limit: 0.7,
                isAtLeast: true
            ),
        ]
        if delays[.bound] != nil {
            let ratio = p99(.bound) / p99(.relay)
            goals.append(BenchGoal(name: "p99 D / p99 B", value: ratio, limit: 3, isAtLeast: false))
        }
        if options.stored > 0 {
            for phase in [BenchPhase.unbound, .bound] {
                let ratio = BenchGoal.median(largeRates[phase] ?? []) / rate(phase)
                goals.append(
                    BenchGoal(
                        name: "\(phase.rawValue) with \(options.stored) stored / with few",
                        value: ratio,
                        limit: 0.8,
                        isAtLeast: true
                    )
                )
            }
            goals += [
                BenchGoal(
                    name: "resident memory, MB",
                    value: memory.max() ?? 0,
                    limit: 150,
                    isAtLeast: false
                ),
                BenchGoal(
                    name: "start to ready, s",
                    value: BenchGoal.median(readySeconds),
                    limit: 2,
                    isAtLeast: false
                ),
                BenchGoal(
                    name: "authenticated connects/s",
                    value: BenchGoal.median(connects),
                    limit: 3000,
                    isAtLeast: true
                ),
            ]
        }
        return goals
    }

    func p50(_ phase: BenchPhase) -> Double { BenchGoal.median((delays[phase] ?? []).map(\.p50)) }

    func p99(_ phase: BenchPhase) -> Double { BenchGoal.median((delays[phase] ?? []).map(\.p99)) }

    /// The result as a table.
    package var text: String {
        var lines = [
            "\(options.devices) devices, QoS 1, \(options.rounds) rounds of \(options.seconds) s, medians"
        ]
        for phase in BenchPhase.allCases {
            lines.append(
                "  \(BenchGoal.filled(phase.rawValue, 2)) \(BenchGoal.padded(Int(rate(phase)), 8)) reports/s   "
                    + phase.title
            )
        }
        if delays[.bound] != nil {
            lines.append("at \(Int(pace)) reports/s, from a device's publish to the app's receipt")
            for phase in [BenchPhase.relay, .bound] {
                lines.append(
                    "  \(phase.rawValue)  p50 \(BenchGoal.short(p50(phase))) ms   "
                        + "p99 \(BenchGoal.short(p99(phase))) ms"
                )
            }
        }
        for (phase, rates) in largeRates.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines.append(
                "  \(phase.rawValue)  \(BenchGoal.padded(Int(BenchGoal.median(rates)), 8)) reports/s   "
                    + "with \(options.stored) devices in the store"
            )
        }
        lines.append("asked for")
        lines += goals.map(\.text)
        return lines.joined(separator: "\n")
    }

    /// The result as JSON.
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
        return .object(
            JSONObject([
                ("devices", .integer(Int64(options.devices))),
                ("reportsPerSecond", .object(JSONObject(rates))),
                ("latencyMilliseconds", .object(JSONObject(delays))),
                ("latencyReportsPerSecond", .double(pace)), ("goals", .array(goals.map(\.json))),
                ("met", .bool(isMet)),
            ])
        )
    }
}
