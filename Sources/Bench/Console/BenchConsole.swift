import Files
import JSON
import Load
import Service

/// The options of `lamplighter-bench console`.
package struct BenchConsoleOptions: Sendable {
    /// The number of devices that report, each bound to an app's user.
    package var devices = 1000
    /// The number of devices in the store.
    package var stored = 100_000
    /// The number of rounds; each figure is their median.
    package var rounds = 7
    /// The seconds that each measurement takes, after a second of warm-up.
    package var seconds = 5.0
    /// The most reports under way, over all devices.
    package var window = 4000

    /// Creates the options of a full run.
    package init() {}
}

/// The pages open in browsers while reports are measured.
enum OpenPages: String, Sendable, CaseIterable {
    case none
    case three
    case tap

    var title: String {
        switch self {
        case .none: "no console is open"
        case .three: "three are: the overview, a list of devices, a device's page"
        case .tap: "one is, with every message as it travels"
        }
    }

    /// Returns the terms that the pages watch; the list shows the rows of one page.
    func watches(_ dids: [String]) -> [[String]] {
        switch self {
        case .none: []
        case .three:
            [["overview"], dids.prefix(Self.rows).map { "device:\($0)" }, ["page:\(dids[0])"]]
        case .tap: [["tap"]]
        }
    }

    private static let rows = 50
}

/// Measures the cost of open consoles to the processing of reports: `lamplighter-bench console`.
///
/// One service and one load, with and without consoles in turn, in the opposite order each round,
/// so that other work on a shared machine affects both alike.
package struct BenchConsole: Sendable {
    private let options: BenchConsoleOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(_ options: BenchConsoleOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchConsoleResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchConsoleResult(options: options)
        tell("filling a store with \(options.stored) devices")
        try await BenchField.with(
            devices: options.devices,
            terminals: 10,
            stored: options.stored,
            in: folder + "/field"
        ) { field in
            let token = try field.operatorToken()
            try await BenchRig.with(.bound, field) { rig in
                try measure(rig, token: token, &result)
            }
        }
        return result
    }

    private func measure(
        _ rig: BenchRig,
        token: String,
        _ result: inout BenchConsoleResult
    ) throws {
        let dids = rig.field.seed.bound.map(\.did)
        for round in 1...options.rounds {
            for pages in order(round) {
                let open = try Self.open(pages, on: rig.field, token: token, devices: dids)
                let before = (rig.load.sent, rig.consumer.processorSeconds)
                let rate = try rig.throughput(seconds: options.seconds, window: options.window)
                let spent = rig.consumer.processorSeconds - before.1
                let micros = spent * 1e6 / Double(rig.load.sent - before.0)
                try Self.end(open)
                result.rates[pages, default: []].append(rate)
                result.micros[pages, default: []].append(micros)
                tell(
                    "round \(round) \(pages.rawValue): \(Int(rate)) reports/s, "
                        + "\(BenchGoal.short(micros)) µs of the service each"
                )
            }
        }
        result.pace = result.rate(.none) / 2
        for round in 1...options.rounds {
            for pages in order(round) {
                let open = try Self.open(pages, on: rig.field, token: token, devices: dids)
                let delay = try rig.latency(seconds: options.seconds, rate: result.pace)
                try Self.end(open)
                result.delays[pages, default: []].append(delay)
                tell("latency \(pages.rawValue): p50 \(delay.p50) ms, p99 \(delay.p99) ms")
            }
        }
    }

    private func order(_ round: Int) -> [OpenPages] {
        round.isMultiple(of: 2) ? OpenPages.allCases.reversed() : OpenPages.allCases
    }

    private static func open(
        _ pages: OpenPages,
        on field: BenchField,
        token: String,
        devices dids: [String]
    ) throws -> [OpenConsole] {
        let watches = pages.watches(dids)
        guard !watches.isEmpty else { return [] }
        let ready = TextFile.readBytes(field.directory.ready).flatMap { try? JSONValue.parse($0) }
        guard let port = ready?.objectValue?["consolePort"]?.intValue else {
            throw LoadError.failed("the service does not say where its console is")
        }
        return try watches.map { try OpenConsole(port: Int(port), token: token, watch: $0) }
    }

    /// Closes the pages, and requires that their streams were still open.
    private static func end(_ consoles: [OpenConsole]) throws {
        guard !consoles.contains(where: \.hasEnded) else {
            throw LoadError.failed("the console ended a stream unexpectedly")
        }
        for console in consoles { console.end() }
    }
}
