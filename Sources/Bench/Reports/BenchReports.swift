import Service

/// Measures the main path against its bounds, on a private broker: `lamplighter-bench reports`.
///
/// The phases are: A, a plain libmosquitto subscriber without any work; A*, the same, counted
/// before the broker has read its confirmations; B, a relay that publishes each report on; C, the
/// service with unbound devices; D, the service with each device bound to one app's user. Each runs
/// in a process of its own, in turns over several rounds: machines vary, and medians are fairer.
package struct BenchReports: Sendable {
    private let options: BenchReportsOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(_ options: BenchReportsOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchResult(options: options)
        try await compare(in: folder + "/small", &result)
        if options.stored > 0 { try await grow(in: folder + "/large", &result) }
        return result
    }

    /// Measures all phases in turns, then the latencies of B and D at half of D's throughput.
    private func compare(in folder: String, _ result: inout BenchResult) async throws {
        try await withField(in: folder, stored: 0) { field in
            for round in 1...options.rounds {
                for phase in BenchPhase.allCases {
                    let rig = try await BenchRig.make(phase, field)
                    let rate = try rig.throughput(seconds: options.seconds, window: options.window)
                    await rig.end()
                    result.rates[phase, default: []].append(rate)
                    tell("round \(round) \(phase.rawValue): \(Int(rate)) reports/s")
                }
            }
            result.pace = result.rate(.bound) / 2
            for phase in [BenchPhase.relay, .bound, .relay, .bound] {
                let rig = try await BenchRig.make(phase, field)
                let delay = try rig.latency(seconds: options.seconds, rate: result.pace)
                await rig.end()
                result.delays[phase, default: []].append(delay)
                tell("latency \(phase.rawValue): p50 \(delay.p50) ms, p99 \(delay.p99) ms")
            }
        }
    }

    /// Measures C and D with many devices in the store.
    private func grow(in folder: String, _ result: inout BenchResult) async throws {
        tell("filling a store with \(options.stored) devices")
        try await withField(in: folder, stored: options.stored) { field in
            for _ in 1...options.rounds {
                for phase in [BenchPhase.unbound, .bound] {
                    let rig = try await BenchRig.make(phase, field)
                    let rate = try rig.throughput(seconds: options.seconds, window: options.window)
                    result.largeRates[phase, default: []].append(rate)
                    result.readySeconds.append(rig.consumer.readySeconds)
                    result.memory.append(rig.consumer.memory(peak: true))
                    result.connects.append(rig.connectsPerSecond)
                    await rig.end()
                    tell("\(options.stored) stored, \(phase.rawValue): \(Int(rate)) reports/s")
                }
            }
        }
    }

    private func withField(
        in folder: String,
        stored: Int,
        _ body: (BenchField) async throws -> Void
    ) async throws {
        try await BenchField.with(
            devices: options.devices,
            terminals: options.terminals,
            stored: stored,
            in: folder,
            body
        )
    }
}
