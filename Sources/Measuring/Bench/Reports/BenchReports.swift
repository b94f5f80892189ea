import JSON

/// Measures report processing, and compares the service with simpler programs on a private broker: `lamplighter-bench
/// reports`.
///
/// The benchmark has five phases, and each phase measures one kind of consumer.
///
/// Phase A measures a plain libmosquitto subscriber that does nothing with the reports. Phase A* measures the same
/// subscriber, but received reports already count as processed. Phase B measures a relay that publishes a status for
/// each report. Phase C measures the service with unbound devices. Phase D measures the service with each device bound
/// to one user.
///
/// A machine's speed varies. All phases are therefore measured in several rounds, and the result is the median.
extension BenchReports {
    func measure(in folder: String) async throws -> BenchResult {
        let heading = "\(devices) devices, QoS 1, \(rounds) rounds of \(seconds) s, medians"
        var result = BenchResult(heading, ["devices": devices])
        try await field(stored: 0, in: folder + "/small").use { field in try await compare(field, &result) }
        if stored > 0 {
            tell("filling a store with \(stored) devices")
            try await field(stored: stored, in: folder + "/large").use { field in try await grow(field, &result) }
        }
        return result
    }

    private func field(stored: Int, in folder: String) async throws -> BenchField {
        try await BenchField(devices: devices, terminals: terminals, stored: stored, in: folder)
    }

    /// Measures the throughput of all phases in several rounds, and afterwards the latencies of phases B and D.
    ///
    /// The latencies are measured at a fixed rate, which is half of phase D's throughput.
    private func compare(_ field: BenchField, _ result: inout BenchResult) async throws {
        for round in 1...rounds {
            tell("round \(round)")
            for phase in BenchPhase.allCases {
                let rig = try await BenchRig(phase, field)
                let rate = try await rig.use { try $0.throughput(seconds: seconds, window: window) }
                result.add(phase.title, .init(rate, "reports/s", at: phase.rate))
            }
        }
        let pace = result[BenchPhase.bound.rate] / 2
        result.add("while latencies are measured", .init(pace, "reports/s", at: Self.pace))
        for phase in [BenchPhase.relay, .bound, .relay, .bound] {
            let delays = try await BenchRig(phase, field).use { try $0.latency(seconds: seconds, rate: pace) }
            let label = "\(phase.rawValue): from a device's publish to the app's receipt"
            result.add(label, delays: delays, at: phase.latency)
        }
    }

    /// Measures phases C and D with many devices in the store.
    private func grow(_ field: BenchField, _ result: inout BenchResult) async throws {
        for round in 1...rounds {
            tell("round \(round)")
            for phase in [BenchPhase.unbound, .bound] {
                try await BenchRig(phase, field).use { rig in
                    let rate = try rig.throughput(seconds: seconds, window: window)
                    let label = "with \(stored) devices in the store"
                    result.add("\(phase.rawValue) \(label)", .init(rate, "reports/s", at: phase.largeRate))
                    result.add(
                        label,
                        .init(rig.consumer.readySeconds, "s to ready", at: Self.ready),
                        .init(rig.consumer.memory(peak: true), "MB", at: Self.memory),
                        .init(rig.connectsPerSecond, "connects/s", at: Self.connects)
                    )
                }
            }
        }
    }

    private static let pace = "latencyReportsPerSecond"
    private static let ready = "readySeconds"
    private static let memory = "memoryMegabytes"
    private static let connects = "connectsPerSecond"

    func goals(_ result: BenchResult) -> [BenchGoal] {
        typealias Phase = BenchPhase
        let unbound = result[Phase.unbound.rate] / result[Phase.plain.rate]
        let bound = result[Phase.bound.rate] / result[Phase.relay.rate]
        let p99 = result[Phase.bound.latency + ".p99"] / result[Phase.relay.latency + ".p99"]
        let goals = [
            BenchGoal("C / A", unbound, atLeast: 1), BenchGoal("D / B", bound, atLeast: 0.7),
            BenchGoal("p99 D / p99 B", p99, atMost: 3),
        ]
        guard stored > 0 else { return goals }
        let large = [Phase.unbound, .bound].map { phase in
            let share = result[phase.largeRate] / result[phase.rate]
            return BenchGoal("\(phase.rawValue) with \(stored) stored / with few", share, atLeast: 0.8)
        }
        let memory = result.samples(Self.memory).max() ?? 0
        return goals + large + [
            BenchGoal("resident memory, MB", memory, atMost: 150),
            BenchGoal("start to ready, s", result[Self.ready], atMost: 2),
            BenchGoal("authenticated connects/s", result[Self.connects], atLeast: 3000),
        ]
    }
}

extension BenchPhase {
    fileprivate var rate: String { "reportsPerSecond.\(rawValue)" }
    fileprivate var largeRate: String { "storedReportsPerSecond.\(rawValue)" }
    fileprivate var latency: String { "latencyMilliseconds.\(rawValue)" }
}
