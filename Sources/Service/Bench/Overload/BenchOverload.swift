package import JSON

/// What `bench overload` is asked for.
package struct BenchOverloadOptions: Sendable {
    /// How many devices flood at the same time, in one measurement each.
    package var devices = [1, 3, 20, 300]
    /// Devices that send at twice what the machine can do; 0 leaves it out.
    package var many = 500
    /// Seconds of each overload.
    package var seconds = 15.0
    /// Minutes at 60 % of the best rate with a freeze of ten seconds in the middle; 0 leaves it out.
    package var minutes = 0.0

    /// The options of a full run.
    package init() {}
}

/// Measures what devices that send more than the machine can do leave of it: `lamplighter bench overload`.
///
/// A whole `up` without limits per connection, as those would end each overload before it is one; the
/// machine's best first, then overloads of several kinds, beside five devices that report once a second.
package struct BenchOverload: Sendable {
    private let options: BenchOverloadOptions
    private let tell: @Sendable (String) -> Void

    /// Devices whose best is the machine's best, each with as many unanswered reports as the contract
    /// allows it.
    private static let bestDevices = 100
    private static let probes = 5

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
        let devices = max(Self.bestDevices, options.many, options.devices.max() ?? 0)
        let ground = try await AbuseGround(
            in: folder + "/ground",
            settings: AbuseAttack.deviceOff,
            devices: devices,
            logins: 0
        )
        do {
            let result = try await measure(ground)
            await ground.stop()
            return result
        } catch {
            await ground.stop()
            throw error
        }
    }

    private func measure(_ ground: AbuseGround) async throws -> BenchOverloadResult {
        let probe = OverloadProbe(ground, Array(ground.seed.honest.bound.prefix(Self.probes)))
        try probe.connect()
        try probe.live(seconds: 2)
        tell(OverloadFinding.heading)
        let alone = OverloadStage(ground: ground, probe: probe, seconds: options.seconds, best: 0)
        let best = try await alone.flood(
            "the machine's best",
            .patientReports,
            devices: Self.bestDevices
        )
        tell("the machine's best: \(Int(best.rate)) answers/s")
        var result = BenchOverloadResult(best: best.rate)
        let stage = OverloadStage(
            ground: ground,
            probe: probe,
            seconds: options.seconds,
            best: best.rate
        )
        let add = { (finding: OverloadFinding) in
            tell(finding.text)
            result.findings.append(finding)
        }
        for count in options.devices {
            add(try await stage.flood("\(count) without end, QoS 1", .reports, devices: count))
            add(try await stage.flood("\(count) without end, QoS 0", .hastyReports, devices: count))
        }
        if options.many > 0 {
            let rate = 2 * best.rate / Double(options.many)
            add(
                try await stage.flood(
                    "\(options.many) at twice the best",
                    .reports,
                    devices: options.many,
                    rate: rate
                )
            )
        }
        if options.minutes > 0 { add(try await freeze(ground, probe, best.rate)) }
        probe.disconnect()
        return result
    }

    private func freeze(
        _ ground: AbuseGround,
        _ probe: OverloadProbe,
        _ best: Double
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

/// What `bench overload` found, and whether that is what is asked for.
package struct BenchOverloadResult: Sendable {
    /// Answered reports a second, at best.
    let best: Double
    var findings: [OverloadFinding] = []

    init(best: Double) { self.best = best }

    /// Whether everything that is asked for was reached.
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
