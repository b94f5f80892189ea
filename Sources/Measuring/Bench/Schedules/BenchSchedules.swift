import Domain
import Files
import Glibc
import JSON
import Load
import Mosquitto
import Service
import Storage
import Workers

/// Measures how fast schedules are found and carried out, on a private broker: `lamplighter-bench schedules`.
///
/// The benchmark measures how fast due schedules are found, once among few and once among many stored schedules. It
/// also measures how fast the service carries out very many schedules that are due in the same minute. Afterwards, the
/// same number of schedules is due in a later minute, and the benchmark measures how fast the service processes reports
/// meanwhile. Finally, the benchmark measures how punctually triggers arrive under light load.
extension BenchSchedules {
    private static let fewStored = 10_000
    private static let dueStored = 500

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult(
            "\(schedules) due in one minute, \(devices) devices, \(minutes) minutes with little to do",
            ["schedules": schedules, "devices": devices, "stored": stored]
        )
        for (name, count) in [("\(Self.fewStored)", Self.fewStored), ("stored", stored)] {
            let time = try lookup(count, "\(folder)/\(name).db")
            result.add("to find \(Self.dueStored) due of \(count)", .init(time, "µs", at: "lookupMicroseconds.\(name)"))
        }
        try await BenchField(devices: devices, in: folder + "/field").use { field in
            try await BenchRig(.bound, field).use { try burst($0, &result) }
        }
        return result
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        let lookups = result["lookupMicroseconds.stored"] / result["lookupMicroseconds.\(Self.fewStored)"]
        let reports = result["reportsPerSecond.during"] / result["reportsPerSecond.before"]
        let memory = result["memoryMegabytes.after"] / result["memoryMegabytes.before"]
        var goals = [
            BenchGoal("finding due schedules, \(stored) stored / \(Self.fewStored)", lookups, atMost: 1.5),
            BenchGoal("reports/s while schedules are due / before", reports, atLeast: 0.7),
            BenchGoal("memory after / before", memory, atMost: 1.5),
            BenchGoal("99 % of triggers within, ms", result["triggerLagP99Milliseconds"], atMost: 100),
        ]
        if commands > 0 {
            let ratio = result["schedulesPerSecond"] / commands
            goals.append(BenchGoal("schedules/s / single commands/s", ratio, atLeast: 0.5))
        }
        return goals
    }

    // MARK: Finding due schedules

    /// Returns the median time to find 500 due schedules among `stored` schedules, in microseconds.
    private func lookup(_ stored: Int, _ path: String) throws -> Double {
        let store = try Store.bench(at: path)
        var seed = BenchScheduleSeed()
        try seed.fill(store, schedules: stored, due: Self.dueStored)
        let times = try (0..<200).map { _ in
            let now = SystemClock().now
            let stopwatch = Stopwatch()
            let found = try store.read { tx in
                try tx.schedules.due(after: now.adding(seconds: -300), upTo: now, limit: Self.dueStored)
            }
            let seconds = stopwatch.seconds
            guard found.count == Self.dueStored else {
                throw LoadError.failed("found \(found.count) of \(Self.dueStored) due schedules")
            }
            return seconds * 1e6
        }
        return times.median
    }

    // MARK: Many schedules in one minute

    private func burst(_ rig: BenchRig, _ result: inout BenchResult) throws {
        let store = try StoreAccess.tool(rig.field.directory, .file)
        let dids = rig.field.seed.boundIDs
        var seed = BenchScheduleSeed()
        let before = try rig.throughput(seconds: 10)
        result.add("before", .init(before, "reports/s", at: "reportsPerSecond.before"))

        let first = Self.minute(ahead: schedules / 5000 + 5)
        try seed.add(schedules, of: dids, dueAt: first, to: store)
        result.add("before", .init(rig.consumer.memory(), "MB", at: "memoryMegabytes.before"))
        Self.sleep(until: first)
        let seconds = try drain(store, schedules, since: first)
        result.add(
            "after \(Int(seconds)) s in which all were carried out",
            .init(Double(schedules) / seconds, "schedules/s", at: "schedulesPerSecond"),
            .init(rig.consumer.memory(), "MB", at: "memoryMegabytes.after")
        )

        let second = Self.minute(ahead: schedules / 5000 + 45)
        try seed.add(schedules, of: dids, dueAt: second, to: store)
        Self.sleep(until: second)
        let during = try rig.throughput(seconds: 10)
        result.add("while as many schedules are due", .init(during, "reports/s", at: "reportsPerSecond.during"))
        _ = try drain(store, 2 * schedules, since: second)

        let lags = try punctuality(rig.field, store, seed: &seed)
        let p99 = lags.isEmpty ? Double.infinity : lags.quantile(0.99)
        result.add(
            "after their minute began, with little to do",
            .init(Double(lags.count), "triggers", at: "triggers"),
            .init(p99, "ms p99", at: "triggerLagP99Milliseconds")
        )
    }

    private func drain(_ store: Store, _ count: Int, since: Instant) throws -> Double {
        while true {
            let runs = try store.read { try $0.runs.counts() }.reduce(0) { $0 + $1.count }
            let elapsed = Double(LoadClock.milliseconds - since.milliseconds) / 1000
            if runs >= Int64(count) { return elapsed }
            guard elapsed < 290 else { throw LoadError.failed("\(runs) of \(count) runs in time") }
            usleep(50_000)
        }
    }

    // MARK: Light load

    /// Returns each trigger's delay in milliseconds, from its due time until it was received.
    private func punctuality(_ field: BenchField, _ store: Store, seed: inout BenchScheduleSeed) throws -> [Double] {
        // The schedules that were due earlier leave some commands unanswered. These commands expire before the first
        // trigger is due.
        let first = Self.minute(ahead: 60)
        for number in 0..<minutes {
            let dueAt = first.adding(seconds: Int64(number) * 60)
            try seed.add(50, of: field.seed.boundIDs, dueAt: dueAt, to: store)
        }
        let options = ConnectionOptions("bench-triggers", of: "tools", port: field.port, password: field.secrets.tools)
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["\(field.root)/system/trigger/+"])
        var lags: [Double] = []
        var intake = Intake()
        let end = first.adding(seconds: Int64(minutes - 1) * 60 + 5)
        while LoadClock.milliseconds < end.milliseconds {
            try client.receive(upTo: 1000, linger: .zero, wait: .milliseconds(200), into: &intake)
            let now = LoadClock.milliseconds
            for delivery in intake.deliveries {
                let body = try? JSONValue.parse(intake.bytes[delivery.payload]).objectValue
                guard let dueAt = body?["dueAt"]?.intValue, dueAt >= first.milliseconds else { continue }
                lags.append(Double(now - dueAt))
            }
            try client.flush()
        }
        client.disconnect()
        return lags
    }

    private static func minute(ahead seconds: Int) -> Instant {
        let earliest = LoadClock.milliseconds + Int64(seconds) * 1000
        return Instant(milliseconds: (earliest / 60_000 + 1) * 60_000)
    }

    private static func sleep(until moment: Instant) {
        while LoadClock.milliseconds < moment.milliseconds { usleep(5000) }
    }
}
