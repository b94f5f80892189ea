import ArgumentParser
import Domain
import Files
import JSON
import Load
import Service
import ServiceSettings
import Storage
import Workers

/// Measures queries for one day of a long and a short history: `lamplighter-bench history`.
///
/// One device has the long history, and another device has the short history. Both devices report every 8.64 seconds,
/// which is 10,000 times a day. The short history covers only the last day of the long history.
extension BenchHistory {
    func validate() throws {
        guard records >= Self.fewRecords, questions > 0 else {
            throw ValidationError("--records must be at least 10000, --questions at least 1.")
        }
    }

    private enum Kind: String, CaseIterable {
        case page, hours

        var title: String { self == .page ? "first page of a day" : "a day's averages by the hour" }

        var few: String { "milliseconds.\(rawValue).few" }
        var many: String { "milliseconds.\(rawValue).many" }
    }

    /// The number of records in the short history, and in each day of the long history.
    private static let fewRecords = 10_000
    private static let interval: Int64 = 8640
    private static let dayStart = Instant(milliseconds: 1_767_225_600_000)  // 2026-01-01

    func run() async throws {
        guard let into else { return try await finish() }
        let settings = try await SettingsReader(file: nil, environment: [:], flags: ["data": into]).read()
        let directory = try DataDirectory.existing(settings)
        let store = try StoreAccess.tool(directory, StorePlace(settings))
        let did = try BenchLongPast(records: records, devices: devices).write(into: store).text
        if output.json { BenchOutput.show(["did": .string(did)]) } else { print(did) }
    }

    func measure(in folder: String) throws -> BenchResult {
        var result = BenchResult("\(questions) queries of each kind, medians", ["records": records])
        let store = try Store.bench(at: folder + "/bench.db")
        let product = Product(key: ProductKey(bench: "be"), name: "Bench")
        let dids = try store.fillDevices(2, of: product, at: Self.dayStart)
        for (did, count) in zip(dids, [Self.fewRecords, records]) {
            tell("writing \(count) records")
            try fill(store, did, count: count)
        }
        let reader = HistoryReader(store, scanMax: Limits().historyScanMax)
        for kind in Kind.allCases {
            let times = try dids.map { try milliseconds(kind, $0, reader: reader) }
            result.add(
                kind.title,
                .init(times[0], "ms of \(Self.fewRecords) records", at: kind.few),
                .init(times[1], "ms of \(records)", at: kind.many)
            )
        }
        return result
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        Kind.allCases.map { kind in
            let ratio = result[kind.many] / result[kind.few]
            return BenchGoal("\(kind.title), \(records) records / \(Self.fewRecords)", ratio, atMost: 1.5)
        }
    }

    private func fill(_ store: Store, _ did: DeviceID, count: Int) throws {
        let start = Self.dayStart.milliseconds + Int64(Self.fewRecords - count) * Self.interval
        try store.fillPast(of: did, records: count, at: Self.dayStart) { number in
            let temperature = Double(number % 400) / 10
            return (start + Int64(number) * Self.interval, ["temperature": .double(temperature), "switchedOn": true])
        }
    }

    private func milliseconds(_ kind: Kind, _ did: DeviceID, reader: HistoryReader) throws -> Double {
        let question = HistoryQuestion(
            did: did,
            attribute: kind == .hours ? "temperature" : nil,
            place: HistoryPlace(Self.dayStart),
            to: Self.dayStart.adding(seconds: 86_400),
            limit: 1000,
            summary: try kind == .hours ? Self.hours() : nil
        )
        let times = try (0..<questions).map { _ in
            let stopwatch = Stopwatch()
            let page = try reader.page(question)
            let seconds = stopwatch.seconds
            guard !page.rows.isEmpty else { throw LoadError.failed("the day's page is empty") }
            return seconds * 1000
        }
        return times.median
    }

    private static func hours() throws -> HistoryQuestion.Summary {
        guard let step = TimeStep("1h") else { throw LoadError.failed("no step of an hour") }
        return (step: step, function: .avg, timezone: "UTC")
    }
}
