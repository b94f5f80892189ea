package import JSON
import Foundation

/// The result of `lamplighter-bench accounts`, and whether it meets its goals.
package struct BenchAccountsResult: GoalResult, Sendable {
    let options: BenchAccountsOptions
    /// The answers a second by method, including the echo.
    var requests: [String: [Double]] = [:]
    /// The reports a second.
    var reports: [(alone: Double, during: Double)] = []
    /// The seconds until all users had logged in.
    var loginSeconds: [Double] = []
    /// The most megabytes by which the service's memory grew during the logins.
    var growth: [Double] = []
    /// The refused logins in the worst round.
    var refused = 0

    init(options: BenchAccountsOptions) { self.options = options }

    /// The memory of the pool: 19 MiB for each of its threads, plus space for waiting requests.
    private static var poolMegabytes: Double {
        Double(max(1, ProcessInfo.processInfo.activeProcessorCount / 2)) * 19 + 16
    }

    var goals: [BenchGoal] {
        var goals = rates.filter { $0.name != "echo" }.map { name, rate in
            BenchGoal(name: "\(name), answers/s", value: rate, limit: 3000, isAtLeast: true)
        }
        let kept = BenchGoal.median(reports.map { $0.during / $0.alone })
        let grown = BenchGoal.median(growth)
        goals += [
            BenchGoal(
                name: "reports during logins / alone",
                value: kept,
                limit: 0.7,
                isAtLeast: true
            ),
            BenchGoal(
                name: "memory that logins took, MB",
                value: grown,
                limit: Self.poolMegabytes,
                isAtLeast: false
            ),
            BenchGoal(name: "logins refused", value: Double(refused), limit: 0, isAtLeast: false),
        ]
        return goals
    }

    private var rates: [(name: String, rate: Double)] {
        requests.sorted { $0.key < $1.key }.map { ($0.key, BenchGoal.median($0.value)) }
    }

    /// The result as a table.
    package var text: String {
        let echo = BenchGoal.median(requests["echo"] ?? [])
        var lines = [
            "\(options.terminals) terminals, \(options.rounds) rounds of \(options.seconds) s, medians"
        ]
        for (name, rate) in rates {
            lines.append(
                "  \(BenchGoal.padded(Int(rate), 7)) answers/s, \(BenchGoal.short(rate / echo)) of an "
                    + "echo   \(name)"
            )
        }
        lines.append(
            "\(options.logins) logins at once took \(BenchGoal.short(BenchGoal.median(loginSeconds))) s"
        )
        lines.append("asked for")
        return (lines + goals.map(\.text)).joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        let rates = rates.map { ($0.name, JSONValue?.some(.double($0.rate))) }
        return .object(
            JSONObject([
                ("answersPerSecond", .object(JSONObject(rates))),
                ("reportsAlone", .double(BenchGoal.median(reports.map(\.alone)))),
                ("reportsDuringLogins", .double(BenchGoal.median(reports.map(\.during)))),
                ("loginSeconds", .double(BenchGoal.median(loginSeconds))),
                ("goals", .array(goals.map(\.json))), ("met", .bool(isMet)),
            ])
        )
    }
}
