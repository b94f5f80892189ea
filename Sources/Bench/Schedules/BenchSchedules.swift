import Domain
import Files
import Glibc
import JSON
import Load
import Mosquitto
import Service
import Sodium
import Storage

/// The options of `lamplighter-bench schedules`.
package struct BenchSchedulesOptions: Sendable {
    /// The number of schedules due in the same minute.
    package var schedules = 100_000
    /// The number of their devices, all connected.
    package var devices = 1000
    /// The number of schedules in the large store among which the due ones are looked up.
    package var stored = 1_000_000
    /// The minutes of light load in which triggers are timed.
    package var minutes = 2
    /// The single commands a second that `lamplighter-bench commands` measured; 0 if unknown.
    package var commands = 0.0

    /// Creates the options of a full run.
    package init() {}
}

/// Measures schedules on a private broker: `lamplighter-bench schedules`.
///
/// It measures how long finding due schedules takes among few and among many, how fast very many
/// due in the same minute are carried out, alone and beside reports, and how punctual triggers are
/// under light load.
package struct BenchSchedules: Sendable {
    private let options: BenchSchedulesOptions
    private let tell: @Sendable (String) -> Void
    private static let fewStored = 10_000
    private static let dueStored = 500

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(
        _ options: BenchSchedulesOptions,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchSchedulesResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchSchedulesResult(options: options)
        result.fewMicroseconds = try lookup(Self.fewStored, folder + "/few.db")
        result.manyMicroseconds = try lookup(options.stored, folder + "/many.db")
        try await burst(in: folder + "/field", &result)
        return result
    }

    // MARK: Finding due schedules

    /// Returns the median time to find 500 due schedules among a number of them, in microseconds.
    private func lookup(_ stored: Int, _ path: String) throws -> Double {
        guard let key = ServerKey(Sodium.randomBytes(32)) else {
            throw LoadError.failed("no random key")
        }
        let store = try Store(path: path, credentialsPath: nil, key: key)
        var seed = BenchScheduleSeed()
        try seed.fill(store, schedules: stored, due: Self.dueStored)
        var times: [Double] = []
        for _ in 0..<200 {
            let now = Instant(milliseconds: LoadClock.milliseconds)
            let begin = LoadClock.nanoseconds
            let found = try store.read { tx in
                try tx.schedules.due(
                    after: now.adding(seconds: -300),
                    upTo: now,
                    limit: Self.dueStored
                )
            }
            times.append(Double(LoadClock.nanoseconds - begin) / 1000)
            guard found.count == Self.dueStored else {
                throw LoadError.failed("found \(found.count) of \(Self.dueStored) due schedules")
            }
        }
        let median = BenchGoal.median(times)
        tell("\(Self.dueStored) due of \(stored): \(Int(median)) µs")
        return median
    }

    // MARK: Many schedules in one minute

    private func burst(in folder: String, _ result: inout BenchSchedulesResult) async throws {
        let reports = BenchReportsOptions()
        var measured = result
        try await BenchField.with(
            devices: options.devices,
            terminals: reports.terminals,
            in: folder
        ) { field in
            try await BenchRig.with(.bound, field) { rig in
                try measure(field, rig, window: reports.window, result: &measured)
            }
        }
        result = measured
    }

    private func measure(
        _ field: BenchField,
        _ rig: BenchRig,
        window: Int,
        result: inout BenchSchedulesResult
    ) throws {
        let store = try StoreAccess.tool(field.directory, .file)
        let dids = field.seed.bound.map { DeviceID(trusted: $0.did) }
        var seed = BenchScheduleSeed()
        result.reportsBefore = try rig.throughput(seconds: 10, window: window)
        tell("\(Int(result.reportsBefore)) reports/s before")

        let first = Self.minute(ahead: options.schedules / 5000 + 5)
        try seed.add(options.schedules, of: dids, dueAt: first, to: store)
        result.memoryBefore = rig.consumer.memory()
        Self.sleep(until: first)
        let seconds = try drain(store, options.schedules, since: first)
        result.rate = Double(options.schedules) / seconds
        result.memoryAfter = rig.consumer.memory()
        tell("\(options.schedules) schedules in \(Int(seconds)) s")

        let second = Self.minute(ahead: options.schedules / 5000 + 45)
        try seed.add(options.schedules, of: dids, dueAt: second, to: store)
        Self.sleep(until: second)
        result.reportsDuring = try rig.throughput(seconds: 10, window: window)
        tell("\(Int(result.reportsDuring)) reports/s while as many schedules are due")
        _ = try drain(store, 2 * options.schedules, since: second)

        result.lags = try punctuality(field, store, dids: dids, seed: &seed)
    }

    /// Waits until a number of runs are in the store; returns the seconds since a moment.
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

    /// Returns the times from the beginnings of their minutes to the triggers' arrivals, in
    /// milliseconds.
    private func punctuality(
        _ field: BenchField,
        _ store: Store,
        dids: [DeviceID],
        seed: inout BenchScheduleSeed
    ) throws -> [Double] {
        // The bursts' leftovers, commands that expire, are done by then.
        let first = Self.minute(ahead: 60)
        for number in 0..<options.minutes {
            let dueAt = first.adding(seconds: Int64(number) * 60)
            try seed.add(50, of: dids, dueAt: dueAt, to: store)
        }
        var options = ConnectionOptions(
            host: "127.0.0.1",
            port: field.port,
            clientID: "svc.tools.bench-triggers"
        )
        options.username = "service:tools"
        options.password = try SecretFile.read(field.directory.toolsSecret)
        options.cleanStart = true
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["\(field.root)/system/trigger/+"])
        var lags: [Double] = []
        var intake = Intake()
        let end = first.adding(seconds: Int64(self.options.minutes - 1) * 60 + 5)
        while LoadClock.milliseconds < end.milliseconds {
            try client.receive(
                upTo: 1000,
                linger: .zero,
                wait: .milliseconds(200),
                into: &intake
            )
            let now = LoadClock.milliseconds
            for delivery in intake.deliveries {
                let body = try? JSONValue.parse(intake.bytes[delivery.payload]).objectValue
                guard let dueAt = body?["dueAt"]?.intValue, dueAt >= first.milliseconds else {
                    continue
                }
                lags.append(Double(now - dueAt))
            }
            try client.flush()
        }
        client.disconnect()
        return lags.sorted()
    }

    private static func minute(ahead seconds: Int) -> Instant {
        let earliest = LoadClock.milliseconds + Int64(seconds) * 1000
        return Instant(milliseconds: (earliest / 60_000 + 1) * 60_000)
    }

    private static func sleep(until moment: Instant) {
        while LoadClock.milliseconds < moment.milliseconds { usleep(5000) }
    }
}
