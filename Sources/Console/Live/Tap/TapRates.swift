import Administration
import JSON

/// The number of messages per second for each kind of topic, and the busiest senders, over the last few seconds.
struct TapRates: Sendable {
    private struct Second: Sendable {
        var branches: [String: Int64] = [:]
        var talkers: [String: Int64] = [:]
        var seen: Int64 = 0
        var left: Int64 = 0
    }

    private var seconds: [Second] = [Second()]
    private var second: Int64 = 0

    /// The number of seconds that the rates cover.
    private static let back = 5
    /// The maximum number of reported kinds of topics, and the maximum number of reported senders.
    private static let namedMax = 8

    /// Begins a new second, or returns false if that second has already begun.
    mutating func turn(to second: Int64) -> Bool {
        guard second != self.second else { return false }
        // The first call appends nothing, since there is no earlier second to count from.
        let passed = self.second == 0 ? 0 : min(Int64(Self.back), max(1, second - self.second))
        for _ in 0..<passed { seconds.append(Second()) }
        seconds.removeFirst(max(0, seconds.count - Self.back - 1))
        self.second = second
        return true
    }

    /// Counts a message that the tap has seen.
    mutating func note(_ line: TapLine) {
        let last = seconds.count - 1
        seconds[last].seen += 1
        seconds[last].branches[line.branch, default: 0] += 1
        if let talker = line.talker { seconds[last].talkers[talker, default: 0] += 1 }
    }

    /// Counts messages that the gate has left out.
    mutating func note(left: Int64) { seconds[seconds.count - 1].left += left }

    /// The members `rates` and `talkers` of the schema's `Tap`, computed from the whole seconds before the present one.
    ///
    /// The gate leaves out some messages. This computation assumes that their topics and senders have the same
    /// proportions as the topics and senders of the messages that the tap has seen.
    var json: [(String, JSONValue?)] {
        let whole = seconds.dropLast()
        let seen = whole.reduce(0) { $0 + $1.seen }
        let all = seen + whole.reduce(0) { $0 + $1.left }
        let share = seen > 0 ? Double(all) / Double(seen) : 1
        let span = Double(max(1, whole.count))
        let rates = Self.most(whole.map(\.branches)).map { name, count -> JSONValue in
            let perSecond = (Double(count) * share / span * 10).rounded() / 10
            return ["branch": .string(name), "perSecond": Shown.number(perSecond)]
        }
        let talkers = Self.most(whole.map(\.talkers)).map { name, count -> JSONValue in
            ["id": .string(name), "messages": .integer(Int64((Double(count) * share).rounded()))]
        }
        return [("rates", .array(rates)), ("talkers", .array(talkers))]
    }

    private static func most(_ counts: [[String: Int64]]) -> [(String, Int64)] {
        var all: [String: Int64] = [:]
        for one in counts { all.merge(one, uniquingKeysWith: +) }
        let sorted = all.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return sorted.prefix(namedMax).map { ($0.key, $0.value) }
    }
}
