import Domain
import Files
import Load
import Service
import Storage

/// The options of `lamplighter-bench commands`.
package struct BenchCommandsOptions: Sendable {
    /// The number of devices that receive commands.
    package var devices = 100
    /// The number of users bound to one further device, each with a terminal.
    package var users = 1000
    /// The commands a second.
    package var rate = 200.0
    /// The number of rounds; each figure is their median.
    package var rounds = 3
    /// The seconds that each measurement takes.
    package var seconds = 5.0

    /// Creates the options of a full run.
    package init() {}
}

/// Measures commands from app to service to device and back: `lamplighter-bench commands`.
///
/// It compares them with the same four hops through the bare broker, with and without waiting for
/// the disk, and measures how a device with very many users affects the others.
package struct BenchCommands: Sendable {
    /// A measurement within a round.
    enum Part: String, CaseIterable {
        case bare, flushed, service, crowd

        /// The program in place of the service; nil for the service itself.
        var consumer: BenchConsumer.Kind? {
            switch self {
            case .bare: .hops
            case .flushed: .flushedHops
            case .service, .crowd: nil
            }
        }
    }

    private let options: BenchCommandsOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(_ options: BenchCommandsOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchCommandsResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchCommandsResult(options: options)
        try await BenchField.with(
            devices: options.devices,
            terminals: options.users,
            in: folder + "/commands"
        ) { field in
            let crowd = try gather(field)
            for round in 1...options.rounds {
                for part in Part.allCases {
                    let delays = try await measure(part, field, crowd: crowd)
                    result.add(delays, to: part.rawValue)
                    tell(
                        "round \(round) \(part.rawValue): p50 "
                            + "\(BenchGoal.short(BenchCommandsResult.at(0.5, delays))) ms, p99 "
                            + "\(BenchGoal.short(BenchCommandsResult.at(0.99, delays))) ms"
                    )
                }
            }
        }
        return result
    }

    /// Binds all users to one further device.
    private func gather(_ field: BenchField) throws -> LoadDevice {
        guard let crowd = field.seed.unbound.first else {
            throw LoadError.failed("there is no device left for the crowd")
        }
        let store = try StoreAccess.tool(field.directory, .file)
        try store.batch(at: Instant(milliseconds: LoadClock.milliseconds)) { tx in
            try tx.lockAll()
            for terminal in field.seed.terminals {
                try tx.bindings.insert(
                    Binding(
                        did: DeviceID(trusted: crowd.did),
                        uid: UserID(trusted: terminal.uid),
                        app: AppID(trusted: terminal.appID),
                        role: .normal,
                        boundAt: tx.now
                    )
                )
            }
        }
        return crowd
    }

    /// Returns the round trips of a part, in milliseconds, ascending.
    func measure(
        _ part: Part,
        _ field: BenchField,
        crowd: LoadDevice?
    ) async throws -> [Double] {
        try field.forgetWorkers()
        let other =
            if let kind = part.consumer {
                try await BenchProcess.consumer(
                    kind,
                    field,
                    counter: field.directory.path + "/counter",
                    statusBytes: 0
                )
            } else {
                try await BenchProcess.service(field)
            }
        let count = field.seed.terminals.count
        let load = CommandLoad(
            devices: field.seed.bound,
            terminals: field.seed.terminals,
            owners: field.seed.bound.indices.map { (options.devices + $0) % count },
            crowd: part == .crowd ? crowd : nil,
            root: field.root
        )
        do {
            try load.connect(port: field.port)
            // The service must process every device's arrival first.
            try await Task.sleep(for: .seconds(2))
            try load.pace(seconds: 2, rate: options.rate)
            load.isTiming = true
            try load.pace(seconds: options.seconds, rate: options.rate)
        } catch {
            load.disconnect()
            await other.stop()
            throw error
        }
        load.disconnect()
        await other.stop()
        return load.delays.map { Double($0) / 1e6 }.sorted()
    }
}
