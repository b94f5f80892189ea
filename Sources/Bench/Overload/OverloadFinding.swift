import JSON

/// The effect of one overload on the rate of answers and on an honest device.
struct OverloadFinding: Sendable {
    let name: String
    /// Answered reports a second, and the machine's best.
    var rate = 0.0
    var best = 0.0
    var before = OverloadDelays()
    var during = OverloadDelays()
    /// The rate that was asked for; nil where devices send as much as they can.
    var wanted: Double?
    /// Five seconds after the end.
    var after = OverloadDelays()
    /// Reports that never got an answer although they were sent again; nil where they are not counted.
    var lost: Int?
    var stands = true
    /// The reason why honest devices were cut off, if they were.
    var failure: String?

    init(_ name: String) { self.name = name }

    static let shareMin = 0.8
    static let delayMax = 1000.0
    /// So far a rate may be from what was asked for, in percent: an overload that wasn't one proves nothing.
    static let rateMax = 10.0
    /// "As before" means at most so much slower, in milliseconds: what a busy machine's own share is.
    static let slack = 100.0

    var goals: [BenchGoal] {
        var goals = [
            BenchGoal(
                name: "honest device's p99, ms",
                value: during.p99,
                limit: Self.delayMax,
                isAtLeast: false
            ),
            BenchGoal(
                name: "its p99 afterwards, ms more than before",
                value: after.p99 - before.p99,
                limit: Self.slack,
                isAtLeast: false
            ),
            BenchGoal(
                name: "cut off, or restarts",
                value: (failure == nil ? 0 : 1) + (stands ? 0 : 1),
                limit: 0,
                isAtLeast: false
            ),
        ]
        if let lost {
            goals.append(
                BenchGoal(name: "reports lost", value: Double(lost), limit: 0, isAtLeast: false)
            )
            if let wanted {
                goals.append(
                    BenchGoal(
                        name: "rate reached, % off what was asked for",
                        value: wanted > 0 ? abs(rate / wanted - 1) * 100 : .infinity,
                        limit: Self.rateMax,
                        isAtLeast: false
                    )
                )
            }
        } else {
            goals.append(
                BenchGoal(
                    name: "answers a second / the machine's best",
                    value: best > 0 ? rate / best : 0,
                    limit: Self.shareMin,
                    isAtLeast: true
                )
            )
        }
        return goals
    }

    var isMet: Bool { goals.allSatisfy(\.isMet) }

    /// A row of the table, and below it what was missed.
    var text: String {
        let row =
            BenchGoal.filled(name, 30) + BenchGoal.padded(Int(rate), 8)
            + BenchGoal.padded(Int(during.p50), 9) + BenchGoal.padded(Int(during.p99), 8)
            + BenchGoal.padded(Int(before.p99), 9) + BenchGoal.padded(Int(after.p99), 8)
            + (lost.map { "  lost \($0)" } ?? "") + "  \(isMet ? "ok" : "MISSED")"
        let words = failure.map { ["    " + $0] } ?? []
        return ([row] + goals.filter { !$0.isMet }.map(\.text) + words).joined(separator: "\n")
    }

    /// The heading of the table.
    static let heading =
        BenchGoal.filled("", 30) + "answers/s  probe p50  p99   before   after (p99, ms)"

    var json: JSONValue {
        let delays = { (delays: OverloadDelays) -> JSONValue in
            [
                "p50": .double(delays.p50), "p99": .double(delays.p99), "max": .double(delays.most),
                "unanswered": .integer(Int64(delays.unanswered)),
            ]
        }
        return .object(
            JSONObject([
                ("overload", .string(name)), ("answersPerSecond", .double(rate)),
                ("bestPerSecond", .double(best)),
                ("wantedPerSecond", wanted.map { .double($0) }), ("before", delays(before)),
                ("during", delays(during)), ("after", delays(after)),
                ("lost", lost.map { .integer(Int64($0)) }),
                ("failure", failure.map { .string($0) }), ("goals", .array(goals.map(\.json))),
                ("met", .bool(isMet)),
            ])
        )
    }
}
