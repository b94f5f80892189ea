package import JSON

/// The result of `lamplighter-bench schedules`, and whether it meets its goals.
package struct BenchSchedulesResult: GoalResult, Sendable {
    let options: BenchSchedulesOptions
    var fewMicroseconds = 0.0
    var manyMicroseconds = 0.0
    var rate = 0.0
    var reportsBefore = 0.0
    var reportsDuring = 0.0
    var memoryBefore = 0.0
    var memoryAfter = 0.0
    var lags: [Double] = []

    init(options: BenchSchedulesOptions) { self.options = options }

    private var lagP99: Double {
        lags.isEmpty ? .infinity : lags[Int(Double(lags.count - 1) * 0.99)]
    }

    var goals: [BenchGoal] {
        typealias Goal = BenchGoal
        var goals = [
            Goal(
                name: "finding what is due, \(options.stored) stored / 10000",
                value: manyMicroseconds / fewMicroseconds,
                limit: 1.5,
                isAtLeast: false
            ),
            Goal(
                name: "reports/s while schedules are due / before",
                value: reportsDuring / reportsBefore,
                limit: 0.7,
                isAtLeast: true
            ),
            Goal(
                name: "memory after / before",
                value: memoryAfter / memoryBefore,
                limit: 1.5,
                isAtLeast: false
            ),
            Goal(
                name: "99 % of triggers within, ms",
                value: lagP99,
                limit: 100,
                isAtLeast: false
            ),
        ]
        if options.commands > 0 {
            goals.append(
                Goal(
                    name: "schedules/s / single commands/s",
                    value: rate / options.commands,
                    limit: 0.5,
                    isAtLeast: true
                )
            )
        }
        return goals
    }

    /// The result as a table.
    package var text: String {
        let lines = [
            "finding 500 due: \(Int(fewMicroseconds)) µs of 10000, "
                + "\(Int(manyMicroseconds)) µs of \(options.stored)",
            "\(options.schedules) due in one minute, \(options.devices) devices: "
                + "\(Int(rate)) schedules/s",
            "reports/s: \(Int(reportsBefore)) before, \(Int(reportsDuring)) meanwhile",
            "memory: \(Int(memoryBefore)) MB before, \(Int(memoryAfter)) MB after",
            "triggers with little to do: \(lags.count), p99 \(lagP99) ms after their minute began",
            "asked for",
        ]
        return (lines + goals.map(\.text)).joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        .object([
            "schedules": .integer(Int64(options.schedules)),
            "devices": .integer(Int64(options.devices)), "schedulesPerSecond": .double(rate),
            "lookupMicroseconds": [
                "10000": .double(fewMicroseconds), "stored": .double(manyMicroseconds),
            ],
            "stored": .integer(Int64(options.stored)),
            "reportsPerSecond": [
                "before": .double(reportsBefore), "during": .double(reportsDuring),
            ],
            "memoryMegabytes": ["before": .double(memoryBefore), "after": .double(memoryAfter)],
            "triggerLagP99Milliseconds": .double(lagP99),
            "goals": .array(
                goals.map(\.json)
            ),
            "met": .bool(isMet),
        ])
    }
}
