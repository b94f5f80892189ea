package import JSON

/// The result of `lamplighter-bench history`, and whether it meets its goals.
package struct BenchHistoryResult: GoalResult, Sendable {
    /// A query about a day.
    enum Kind: String, CaseIterable, Sendable {
        case page, hours

        var title: String {
            switch self {
            case .page: "first page of a day"
            case .hours: "a day's averages by the hour"
            }
        }
    }

    private let records: Int
    private var times: [(kind: Kind, few: Double, many: Double)] = []

    init(records: Int) { self.records = records }

    mutating func add(_ kind: Kind, few: Double, many: Double) {
        times.append((kind, few, many))
    }

    var goals: [BenchGoal] {
        times.map { time in
            BenchGoal(
                name: "\(time.kind.title), \(records) records / \(BenchHistory.fewRecords)",
                value: time.many / time.few,
                limit: 1.5,
                isAtLeast: false
            )
        }
    }

    /// The result as a table.
    package var text: String {
        let lines = times.map { time in
            "\(time.kind.title): \(BenchGoal.short(time.few)) ms of \(BenchHistory.fewRecords) "
                + "records, \(BenchGoal.short(time.many)) ms of \(records)"
        }
        return (lines + ["asked for"] + goals.map(\.text)).joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        let medians = times.map { time -> (String, JSONValue?) in
            (time.kind.rawValue, ["few": .double(time.few), "many": .double(time.many)])
        }
        return .object([
            "records": .integer(Int64(records)),
            "milliseconds": .object(JSONObject(medians)),
            "goals": .array(goals.map(\.json)),
            "met": .bool(isMet),
        ])
    }
}
