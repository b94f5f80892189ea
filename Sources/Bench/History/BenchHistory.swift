import Domain
import JSON
import Load
import Sodium
import Storage
import Workers

/// The options of `lamplighter-bench history`.
package struct BenchHistoryOptions: Sendable {
    /// The records of the device with the long past.
    package var records = 10_000_000
    /// The number of queries of each kind to each device.
    package var questions = 100

    /// Creates the options of a full run.
    package init() {}
}

/// Measures queries about a day, for a device with a long past and one with a short past:
/// `lamplighter-bench history`.
///
/// Both report every 8.64 seconds, 10,000 times a day. The short past is one day; the long one ends
/// with a day of the same length.
package struct BenchHistory: Sendable {
    /// The records of the device with the short past, and of each day of the other's.
    static let fewRecords = 10_000
    private static let interval: Int64 = 8640
    private static let chunk = 20_000
    private static let dayStart = Instant(milliseconds: 1_767_225_600_000)  // 2026-01-01

    private let options: BenchHistoryOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each step.
    package init(_ options: BenchHistoryOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: `LoadError`, or the store's error.
    package func run() throws -> BenchHistoryResult {
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        guard let key = ServerKey(Sodium.randomBytes(32)) else {
            throw LoadError.failed("no random key")
        }
        let store = try Store(path: folder + "/bench.db", credentialsPath: nil, key: key)
        var seed = BenchScheduleSeed()
        let dids = try seed.devices(2, in: store, at: Self.dayStart)
        for (did, count) in zip(dids, [Self.fewRecords, options.records]) {
            tell("writing \(count) records")
            try fill(store, did, count: count)
        }
        var result = BenchHistoryResult(records: options.records)
        let reader = HistoryReader(store, scanMax: Limits().historyScanMax)
        for kind in BenchHistoryResult.Kind.allCases {
            let times = try dids.map { try milliseconds(kind, $0, reader: reader) }
            result.add(kind, few: times[0], many: times[1])
        }
        return result
    }

    /// Writes a past that ends with the day, in the service's way: through the buffer, then sorted.
    private func fill(_ store: Store, _ did: DeviceID, count: Int) throws {
        let day = Int64(Self.fewRecords) * Self.interval
        let first = Self.dayStart.milliseconds + day - Int64(count) * Self.interval
        for start in stride(from: 0, to: count, by: Self.chunk) {
            let records = (start..<min(start + Self.chunk, count)).map { number in
                HistoryRecord(
                    did: did,
                    ts: Instant(milliseconds: first + Int64(number) * Self.interval),
                    data: ["temperature": .double(Double(number % 400) / 10), "switchedOn": true]
                )
            }
            try store.batch(at: Self.dayStart) { try $0.history.append(records) }
            try store.compactHistory(bytesMax: .max, step: 100, at: Self.dayStart)
        }
        try store.checkpoint()
    }

    /// Returns the median time of an answer in milliseconds.
    private func milliseconds(
        _ kind: BenchHistoryResult.Kind,
        _ did: DeviceID,
        reader: HistoryReader
    ) throws -> Double {
        let question = HistoryQuestion(
            did: did,
            attribute: kind == .hours ? "temperature" : nil,
            place: HistoryPlace(Self.dayStart),
            to: Self.dayStart.adding(seconds: 86_400),
            limit: 1000,
            summary: try kind == .hours ? Self.hours() : nil
        )
        var times: [Double] = []
        for _ in 0..<options.questions {
            let begin = LoadClock.nanoseconds
            let page = try reader.page(question)
            times.append(Double(LoadClock.nanoseconds - begin) / 1e6)
            guard !page.rows.isEmpty else { throw LoadError.failed("the day's page is empty") }
        }
        return BenchGoal.median(times)
    }

    private static func hours() throws -> HistoryQuestion.Summary {
        guard let step = TimeStep("1h") else { throw LoadError.failed("no step of an hour") }
        return HistoryQuestion.Summary(step: step, function: .avg, timezone: "UTC")
    }
}
