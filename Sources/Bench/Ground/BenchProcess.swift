import Files
import Glibc
import JSON
import Load
import Service
import SystemPackage

/// A process that a benchmark measures: this same executable with other arguments.
struct BenchProcess {
    let process: ChildProcess
    /// Seconds from its start until it said, or wrote, that it is ready.
    let readySeconds: Double
    /// The file that takes what it says.
    let output: String

    /// Starts A or B and waits until it has subscribed.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    static func consumer(
        _ kind: BenchConsumer.Kind,
        _ field: BenchField,
        counter: String,
        statusBytes: Int
    ) async throws -> BenchProcess {
        let output = counter + ".out"
        unlink(output)
        return try await start(
            [
                "bench", "consume", kind.rawValue, "--port", "\(field.port)", "--username",
                "service:tools", "--password-file", field.directory.toolsSecret, "--counter",
                counter, "--root", field.root, "--status-bytes", "\(statusBytes)", "--users",
                field.seed.terminals.map(\.uid).joined(separator: ","),
            ],
            output: output
        ) { TextFile.read(output)?.contains("ready\n") == true }
    }

    /// Starts the service and waits until everything accepts work.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    static func service(_ field: BenchField) async throws -> BenchProcess {
        try await start(
            [
                "serve", "--data", field.directory.path, "--mqtt-port", "\(field.port)",
                "--http-port", "0", "--health-port", "0", "--log-level", "error",
            ],
            output: field.directory.path + "/service.log"
        ) { TextFile.exists(field.directory.ready) }
    }

    /// Starts one of several processes that share the work, and waits until everything accepts work.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    static func sharer(
        _ data: String,
        port: Int,
        settings: [String]
    ) async throws -> BenchProcess {
        try await start(
            [
                "serve", "--data", data, "--mqtt-port", "\(port)", "--http-port", "0",
                "--health-port", "0", "--log-level", "warning",
            ] + settings.flatMap { ["--set", $0] },
            output: data + "/service.log"
        ) { TextFile.exists(data + "/ready.json") }
    }

    /// Starts `up` on a data directory that may be filled already, with given settings.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    static func up(_ directory: DataDirectory, settings: [String]) async throws -> BenchProcess {
        try await start(
            [
                "up", "--data", directory.path, "--mqtt-port", "0", "--http-port", "0",
                "--health-port", "0",
                "--log-level", "warning", "--no-demo",
            ] + settings.flatMap { ["--set", $0] },
            output: directory.path + "/service.log"
        ) { TextFile.exists(directory.ready) }
    }

    /// Starts a hostile client that does as it is ordered, and ends by itself.
    ///
    /// Its output is at the end of the file `output`.
    /// - Throws: `LoadError`, or the system's refusal.
    static func hostile(_ orders: HostileOrders, output: String) async throws -> BenchProcess {
        let path = output + ".orders"
        try TextFile.write(bytes: orders.json.encoded(), to: path)
        unlink(output)
        return try await start(["bench", "hostile", "--orders", path], output: output) { true }
    }

    /// Starts `simulate` against a running ground; it ends by itself.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    static func simulate(
        _ ground: AbuseGround,
        devices: Int,
        rate: Double,
        seconds: Double,
        output: String
    ) async throws -> BenchProcess {
        let product: JSONValue = [
            "productKey": .string(ground.seed.productKey), "name": "Read out",
            "productSecret": .string(ground.seed.productSecret),
        ]
        try TextFile.write(bytes: product.encoded(), to: output + ".product")
        unlink(output)
        return try await start(
            [
                "simulate", "--data", ground.directory.path, "--product", output + ".product",
                "--devices", "\(devices)", "--rate", "\(rate)", "--duration", "\(seconds)",
                "--json",
            ],
            output: output
        ) { true }
    }

    /// Ends the process politely and waits until it is gone.
    func stop() async {
        process.send(SIGTERM)
        let killer = Task {
            try await Task.sleep(for: .seconds(10))
            process.send(SIGKILL)
        }
        _ = await process.waitForExit()
        killer.cancel()
    }

    /// Returns resident memory in megabytes: now, or at its highest.
    func memory(peak: Bool = false) -> Double {
        Self.memory(of: Int(process.pid), peak: peak)
    }

    /// Returns the same of any process; 0 where there is none.
    static func memory(of pid: Int, peak: Bool = false) -> Double {
        let name = peak ? "VmHWM:" : "VmRSS:"
        let status = TextFile.read("/proc/\(pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0"
        return (Double(kilobytes) ?? 0) / 1024
    }

    /// Seconds of processor time that the process has taken.
    var processorSeconds: Double { ProcessorTime.seconds(of: Int(process.pid)) }

    private static func start(
        _ arguments: [String],
        output: String,
        _ isReady: () -> Bool
    ) async throws -> BenchProcess {
        let begin = LoadClock.nanoseconds
        let process = try await ChildProcess.launch(
            Executables.ownPath.string,
            arguments,
            output: output
        )
        while !isReady() {
            let seconds = Double(LoadClock.nanoseconds - begin) / 1e9
            guard process.exit == nil, seconds < 30 else {
                process.send(SIGKILL)
                let said = (TextFile.read(output) ?? "").suffix(500)
                throw LoadError.failed("\(arguments[0]) did not become ready: \(said)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        return BenchProcess(
            process: process,
            readySeconds: Double(LoadClock.nanoseconds - begin) / 1e9,
            output: output
        )
    }
}
