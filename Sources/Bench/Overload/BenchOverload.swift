package import JSON
import Service

/// The options of `bench overload`.
package struct BenchOverloadOptions: Sendable {
    /// How many devices flood at the same time, in one measurement each.
    package var devices = [1, 3, 20, 300]
    /// Devices that send at twice what the machine can do; 0 leaves it out.
    package var many = 500
    /// Seconds of each overload.
    package var seconds = 15.0
    /// Minutes at 60 % of the best rate with a freeze of ten seconds in the middle; 0 leaves it out.
    package var minutes = 0.0
    /// Whether devices are held to what one of them may send, as they are unless settings say otherwise.
    package var isLimited = false

    /// The options of a full run.
    package init() {}
}

/// Measures the service while devices send more than the machine can handle: `lamplighter bench overload`.
///
/// A whole `up` without limits per connection, as those would end each overload before it is one; the
/// machine's best first, then overloads of several kinds, beside five devices that report once a second.
package struct BenchOverload: Sendable {
    private let options: BenchOverloadOptions
    private let tell: @Sendable (String) -> Void

    /// The number of devices that reach the machine's best rate, each with as many unanswered reports as
    /// devices may have.
    private static let bestDevices = 100
    private static let probes = 5
    /// Reports a second that one device may send in the long run.
    private static let deviceRate = 50.0

    /// Prepares a benchmark; `tell` takes a line about each measurement.
    package init(_ options: BenchOverloadOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs everything in a temporary directory and removes it.
    ///
    /// - Throws: A `Problem`, `LoadError` or the system's refusal.
    package func run() async throws -> BenchOverloadResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        let best = try await on(folder + "/free", AbuseAttack.deviceOff) { ground, probe in
            try await self.best(ground, probe)
        }
        let settings = options.isLimited ? [] : AbuseAttack.deviceOff
        return try await on(folder + "/ground", settings) { ground, probe in
            try await self.measure(ground, probe, best: best)
        }
    }

    /// Lets a measurement have a ground with honest devices on it, and ends it afterwards.
    private func on<Value>(
        _ folder: String,
        _ settings: [String],
        body: (AbuseGround, OverloadProbe) async throws -> Value
    ) async throws -> Value {
        let ground = try await AbuseGround(
            in: folder,
            settings: settings,
            devices: max(Self.bestDevices, 2 * options.devices.reduce(0, +) + options.many),
            logins: 0
        )
        do {
            let probe = OverloadProbe(ground, Array(ground.seed.honest.bound.prefix(Self.probes)))
            try probe.connect()
            try probe.live(seconds: 2)
            let value = try await body(ground, probe)
            probe.disconnect()
            await ground.stop()
            return value
        } catch {
            await ground.stop()
            throw error
        }
    }

    private func best(_ ground: AbuseGround, _ probe: OverloadProbe) async throws -> Double {
        let stage = OverloadStage(ground: ground, probe: probe, seconds: options.seconds, best: 0)
        let best = try await stage.flood("best", .patientReports, devices: 0..<Self.bestDevices)
        tell("the machine's best: \(Int(best.rate)) answers/s")
        return best.rate
    }

    /// Returns what so many devices that flood can get answered at best.
    private func best(_ best: Double, of devices: Int) -> Double {
        options.isLimited ? min(best, Self.deviceRate * Double(devices)) : best
    }

    private func measure(
        _ ground: AbuseGround,
        _ probe: OverloadProbe,
        best: Double
    ) async throws -> BenchOverloadResult {
        tell(OverloadFinding.heading)
        var result = BenchOverloadResult(best: best)
        let stage = { (devices: Int) in
            OverloadStage(
                ground: ground,
                probe: probe,
                seconds: options.seconds,
                best: self.best(best, of: devices)
            )
        }
        let add = { (finding: OverloadFinding) in
            tell(finding.text)
            result.findings.append(finding)
        }
        // Each overload has devices of its own: what one did must not be counted against the next.
        var first = 0
        for count in options.devices {
            for (deed, qos) in [(HostileDeed.reports, 1), (.hastyReports, 0)] {
                add(
                    try await stage(count).flood(
                        "\(count) without end, QoS \(qos)",
                        deed,
                        devices: first..<(first + count)
                    )
                )
                first += count
            }
        }
        if options.many > 0 {
            let rate = 2 * best / Double(options.many)
            add(
                try await stage(options.many).flood(
                    "\(options.many) at twice the best",
                    .reports,
                    devices: first..<(first + options.many),
                    rate: rate
                )
            )
        }
        if options.minutes > 0 { add(try await freeze(ground, probe, best: best)) }
        return result
    }

    private func freeze(
        _ ground: AbuseGround,
        _ probe: OverloadProbe,
        best: Double
    ) async throws -> OverloadFinding {
        let stage = OverloadStage(
            ground: ground,
            probe: probe,
            seconds: options.minutes * 60,
            best: best
        )
        return try await stage.freeze(
            "\(BenchGoal.short(options.minutes)) min at 60 %, frozen",
            rate: best * 0.6,
            devices: max(50, options.many)
        )
    }
}

/// The result of `bench overload`, and whether it meets its goals.
package struct BenchOverloadResult: BenchOutcome, Sendable {
    /// Answered reports a second, at best.
    let best: Double
    var findings: [OverloadFinding] = []

    init(best: Double) { self.best = best }

    /// Whether every goal was met.
    package var isMet: Bool { best > 0 && findings.allSatisfy(\.isMet) }

    /// The result as a table for people.
    package var text: String {
        ([OverloadFinding.heading, "the machine's best: \(Int(best)) answers/s"]
            + findings.map(\.text)).joined(separator: "\n")
    }

    /// The result for programs.
    package var json: JSONValue {
        .object([
            "bestPerSecond": .double(best), "overloads": .array(findings.map(\.json)),
            "met": .bool(isMet),
        ])
    }
}
