import Service
import ServiceSettings

/// The options of `bench limits`.
package struct BenchLimitsOptions: Sendable {
    /// Devices that report and are commanded: so many that at the machine's best none of them reaches its limit.
    package var devices = 3000
    /// App terminals that read and command.
    package var terminals = 100
    /// Commands a second.
    package var rate = 200.0
    /// Rounds; each measures with and without limits in turn, and the median of their ratios counts.
    package var rounds = 7
    /// Seconds that each measurement takes.
    package var seconds = 4.0

    /// The options of a full run.
    package init() {}
}

/// Measures the cost of the limits of each connection for clients below them: `lamplighter bench limits`.
///
/// Two brokers stand side by side, one that counts everything, with bounds that no sender here reaches, and one with
/// all limits switched off. Each round measures the reports a second and the round trip of commands at both, the
/// second in the opposite order: what the machine does meanwhile concerns both alike.
package struct BenchLimits: Sendable {
    private let options: BenchLimitsOptions
    private let tell: @Sendable (String) -> Void

    /// Prepares a benchmark; `tell` takes a line about each measurement.
    package init(_ options: BenchLimitsOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs everything in a temporary directory and removes it.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchLimitsResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchLimitsResult(options: options)
        try await withField(in: folder + "/limited", flags: [:]) { limited in
            try await withField(in: folder + "/free", flags: Self.switchedOff) { free in
                for round in 1...options.rounds {
                    try await measure(round, limited, free: free, result: &result)
                }
            }
        }
        return result
    }

    /// Every limit of a connection, switched off.
    static var switchedOff: [String: String] {
        SettingsTable.gate.reduce(into: [:]) { flags, setting in flags[setting.row.key] = "0" }
    }

    private func measure(
        _ round: Int,
        _ limited: BenchField,
        free: BenchField,
        result: inout BenchLimitsResult
    ) async throws {
        let isForward = round % 2 == 1
        var rates: [Double] = []
        var delays: [Double] = []
        for field in isForward ? [limited, free] : [free, limited] {
            rates.append(try await rate(field))
            delays.append(try await delay(field))
        }
        if !isForward {
            rates.reverse()
            delays.reverse()
        }
        result.add(rates: (rates[0], rates[1]), delays: (delays[0], delays[1]))
        tell(
            "round \(round): \(Int(rates[0])) reports/s with limits, \(Int(rates[1])) without; commands "
                + "\(BenchGoal.short(delays[0])) ms with, \(BenchGoal.short(delays[1])) ms without"
        )
    }

    private func rate(_ field: BenchField) async throws -> Double {
        var rate = 0.0
        try await BenchRig.with(.bound, field) { rig in
            rate = try rig.throughput(
                seconds: options.seconds,
                window: BenchReportsOptions().window
            )
        }
        return rate
    }

    /// Returns the median round trip of a command, in milliseconds.
    private func delay(_ field: BenchField) async throws -> Double {
        var commands = BenchCommandsOptions()
        commands.devices = options.devices
        commands.rate = options.rate
        commands.seconds = options.seconds
        let delays = try await BenchCommands(commands, tell: tell).measure(
            .service,
            field,
            crowd: nil
        )
        return BenchCommandsResult.at(0.5, delays)
    }

    private func withField(
        in folder: String,
        flags: [String: String],
        _ body: (BenchField) async throws -> Void
    ) async throws {
        try await BenchField.with(
            devices: options.devices,
            terminals: options.terminals,
            flags: flags,
            in: folder,
            body
        )
    }
}
