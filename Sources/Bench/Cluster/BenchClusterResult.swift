package import JSON

/// The result of `lamplighter-bench cluster`, and whether it meets its goals.
package struct BenchClusterResult: GoalResult, Sendable {
    /// The figures for a number of processes.
    struct Speed: Sendable {
        var processes: Int
        /// The reports answered a second.
        var perSecond: Double
        /// The processor time of the processes and the database for each report, in microseconds.
        var microseconds: Double

        /// The figures as a line.
        var text: String {
            "\(processes) processes: \(Int(perSecond)) reports/s answered, "
                + "\(Int(microseconds)) µs of the processor each"
        }
    }

    private let options: BenchClusterOptions
    /// The round trip time to the database, in milliseconds.
    var roundTrip = 0.0
    var speeds: [Speed] = []
    /// The round trip times of commands in milliseconds, ascending, by number of processes.
    var commands: [Int: [Double]] = [:]
    var deadlocks = 0
    var unsortedDeadlocks = 0

    init(options: BenchClusterOptions) { self.options = options }

    var goals: [BenchGoal] {
        guard let first = speeds.first, let last = speeds.last else { return [] }
        var goals = speeds.dropFirst().map { speed in
            BenchGoal(
                name: "\(speed.processes) processes / \(first.processes)",
                value: speed.perSecond / first.perSecond,
                limit: 0.8 * Double(speed.processes) / Double(first.processes),
                isAtLeast: true
            )
        }
        goals.append(
            BenchGoal(
                name: "processor time of a report, \(last.processes) / \(first.processes)",
                value: last.microseconds / first.microseconds,
                limit: 1.2,
                isAtLeast: false
            )
        )
        if let one = commands[1], let two = commands[2] {
            goals.append(
                BenchGoal(
                    name: "command p99, app and device on different processes / one process",
                    value: BenchCommandsResult.at(0.99, two) / BenchCommandsResult.at(0.99, one),
                    limit: 1.5,
                    isAtLeast: false
                )
            )
        }
        goals.append(
            BenchGoal(
                name: "deadlocks in \(Int(options.overlapSeconds)) s of overlapping devices",
                value: Double(deadlocks),
                limit: 0,
                isAtLeast: false
            )
        )
        goals.append(
            BenchGoal(
                name: "deadlocks without an order, which must show",
                value: Double(unsortedDeadlocks),
                limit: 1,
                isAtLeast: true
            )
        )
        return goals
    }

    /// The result as a table.
    package var text: String {
        var lines = [
            "\(BenchGoal.short(roundTrip)) ms to the database and back, \(options.lanes) busy lanes "
                + "a process, batches of \(options.batch), \(options.seconds) s each"
        ]
        lines += speeds.map { "  " + $0.text }
        lines += commands.sorted { $0.key < $1.key }.map { count, delays in
            "  \(count) processes: a command there and back, p50 "
                + "\(BenchGoal.short(BenchCommandsResult.at(0.5, delays))) ms, p99 "
                + "\(BenchGoal.short(BenchCommandsResult.at(0.99, delays))) ms"
        }
        lines.append("asked for")
        return (lines + goals.map(\.text)).joined(separator: "\n")
    }

    /// The result as JSON.
    package var json: JSONValue {
        let speeds = speeds.map { speed -> JSONValue in
            [
                "processes": .integer(Int64(speed.processes)),
                "perSecond": .double(speed.perSecond),
                "microseconds": .double(speed.microseconds),
            ]
        }
        return .object(
            JSONObject([
                ("roundTrip", .double(roundTrip)), ("speeds", .array(speeds)),
                ("goals", .array(goals.map(\.json))), ("met", .bool(isMet)),
            ])
        )
    }
}
