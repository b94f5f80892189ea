/// The reports that a device keeps until they are answered, with their sending times.
///
/// At most 16 reports are under way (sent and not yet answered). The others wait. A report without an answer is sent
/// again after 5 seconds. Each further pause is twice as long as the previous pause, up to 5 minutes. Because of random
/// jitter, devices without answers don't all send at the same time.
struct KeptReports {
    private struct Kept {
        var id: String
        var payload: [UInt8]
        /// The time at which the report is next sent, in milliseconds.
        var at: Int64
        /// The pause before the next repeat in milliseconds, or 0 before the report is first sent.
        var pause: Int64 = 0
    }

    /// The maximum number of reports under way.
    static let underWayMax = 16
    /// The pause before the first repeat, in milliseconds.
    static let firstPause: Int64 = 5000
    /// The maximum pause between repeats, in milliseconds.
    static let lastPause: Int64 = 300_000

    private var underWay: [Kept] = []
    private var waiting: [Kept] = []
    private var nextAt = Int64.max

    /// Whether all reports have been answered.
    var isEmpty: Bool { underWay.isEmpty && waiting.isEmpty }

    /// Keeps a new report.
    mutating func append(_ id: String, _ payload: [UInt8], at now: Int64) {
        waiting.append(Kept(id: id, payload: payload, at: now))
        if underWay.count < Self.underWayMax { nextAt = min(nextAt, now) }
    }

    /// Processes a report's answer, or returns false if no such report is under way.
    mutating func settle(_ id: String) -> Bool {
        guard let place = underWay.firstIndex(where: { $0.id == id }) else { return false }
        underWay.remove(at: place)
        if !waiting.isEmpty { nextAt = 0 }
        return true
    }

    /// Sets the time of all reports under way to `now`, so that they are sent again.
    mutating func sendAgain(at now: Int64) {
        for index in underWay.indices { underWay[index].at = now }
        nextAt = now
    }

    /// Returns the payloads of due reports, the oldest first, and how many of them are repeats.
    mutating func due(at now: Int64) -> (payloads: [[UInt8]], repeats: Int) {
        guard now >= nextAt else { return ([], 0) }
        let free = min(Self.underWayMax - underWay.count, waiting.count)
        if free > 0 {
            underWay += waiting.prefix(free)
            waiting.removeFirst(free)
        }
        var payloads: [[UInt8]] = []
        var repeats = 0
        for index in underWay.indices where underWay[index].at <= now {
            payloads.append(underWay[index].payload)
            if underWay[index].pause > 0 { repeats += 1 }
            underWay[index].pause = Self.pause(after: underWay[index].pause)
            let jitter = Double.random(in: 0.8...1.2)
            underWay[index].at = now + Int64(Double(underWay[index].pause) * jitter)
        }
        nextAt = underWay.map(\.at).min() ?? .max
        return (payloads, repeats)
    }

    static func pause(after pause: Int64) -> Int64 { pause == 0 ? firstPause : min(pause * 2, lastPause) }
}
