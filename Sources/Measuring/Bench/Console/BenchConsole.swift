import ArgumentParser
import Files
import JSON
import Load
import Service

/// The console pages that are open in browsers while reports are measured.
private enum OpenPages: String, CaseIterable {
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

    /// The beginning of the JSON keys for all figures that are measured while these pages are open.
    var key: String { "open.\(rawValue)" }

    /// Returns the values of the query parameter `watch` for each page.
    ///
    /// The page with the device list watches the 50 devices that it shows.
    func watches(_ dids: [String]) -> [[String]] {
        switch self {
        case .none: []
        case .three: [["overview"], dids.prefix(Self.rows).map { "device:\($0)" }, ["page:\(dids[0])"]]
        case .tap: [["tap"]]
        }
    }

    private static let rows = 50
}

/// Measures how much open consoles slow down the processing of reports: `lamplighter-bench console`.
///
/// The same service and load are measured with and without open consoles. Every second round reverses the order of the
/// measurements. Other work on a shared machine then affects all measurements alike.
extension BenchConsole {
    func validate() throws {
        guard devices > 0, stored >= 0, rounds > 0, seconds >= 1 else {
            throw ValidationError("--devices, --rounds and --seconds must be at least 1, --stored at least 0.")
        }
    }

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult(
            "\(devices) devices report, \(stored) stored, \(rounds) rounds of \(seconds) s, medians",
            ["devices": devices, "stored": stored]
        )
        tell("filling a store with \(stored) devices")
        try await BenchField(devices: devices, stored: stored, in: folder + "/field").use { field in
            let token = try field.operatorToken()
            try await BenchRig(.bound, field).use { rig in
                try measureRates(rig, token: token, &result)
                try measureDelays(rig, token: token, &result)
            }
        }
        return result
    }

    private func measureRates(_ rig: BenchRig, token: String, _ result: inout BenchResult) throws {
        try inTurns(rig, token: token) { pages in
            let before = (rig.load.sent, rig.consumer.processorSeconds)
            let rate = try rig.throughput(seconds: seconds)
            let spent = rig.consumer.processorSeconds - before.1
            let micros = spent * 1e6 / Double(rig.load.sent - before.0)
            result.add(
                pages.title,
                .init(rate, "reports/s", at: pages.key + ".reportsPerSecond"),
                .init(micros, "µs of the service each", at: pages.key + ".microsecondsPerReport")
            )
        }
    }

    private func measureDelays(_ rig: BenchRig, token: String, _ result: inout BenchResult) throws {
        let pace = result[OpenPages.none.key + ".reportsPerSecond"] / 2
        result.add("while latencies are measured", .init(pace, "reports/s", at: "latencyReportsPerSecond"))
        try inTurns(rig, token: token) { pages in
            let delays = try rig.latency(seconds: seconds, rate: pace)
            result.add(pages.title, delays: delays, at: pages.key)
        }
    }

    /// Opens each set of console pages in turn, and calls `body` while these pages are open.
    ///
    /// - Throws: Any error of `body`, or `LoadError`, also if the service ends a page's event stream.
    private func inTurns(_ rig: BenchRig, token: String, _ body: (OpenPages) throws -> Void) throws {
        let ready = ReadyFile.read(rig.field.directory)
        guard let port = ready?["consolePort"]?.intValue else {
            throw LoadError.failed("the service does not say where its console is")
        }
        let dids = rig.field.seed.bound.map(\.did)
        for round in 1...rounds {
            tell("round \(round)")
            let order = OpenPages.allCases
            for pages in round.isMultiple(of: 2) ? order.reversed() : order {
                let consoles = try pages.watches(dids).map { try OpenConsole(port: Int(port), token: token, watch: $0) }
                try body(pages)
                guard !consoles.contains(where: \.hasEnded) else {
                    throw LoadError.failed("the console ended a stream unexpectedly")
                }
                for console in consoles { console.end() }
            }
        }
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        let (three, none) = (OpenPages.three.key, OpenPages.none.key)
        let rates = result.ratio(three + ".reportsPerSecond", to: none + ".reportsPerSecond")
        return [
            BenchGoal("reports/s with three / without", rates, atLeast: 0.98),
            BenchGoal("p99 with three / without", result.ratio(three + ".p99", to: none + ".p99"), atMost: 1.05),
        ]
    }
}
