import Files
import Glibc
import Load
import Service
import SystemPackage

/// A measured process: either the service, or a consumer that the service is compared with.
struct BenchProcess: RunningPart {
    let process: ChildProcess
    /// The seconds from the process's start until it reported that it was ready.
    let readySeconds: Double

    /// Discards the workers' MQTT sessions, then starts a consumer, or the service if `kind` is nil.
    ///
    /// - Throws: `LoadError`, `MosquittoError`, or the system's error.
    static func start(_ kind: BenchConsumer.Kind?, _ field: BenchField, settings: [String] = []) async throws -> Self {
        try field.forgetWorkers()
        guard let kind else { return try await service(field.directory.path, port: field.port, settings: settings) }
        let output = field.counterFile + ".out"
        unlink(output)
        return try await start(
            [
                "consume", kind.rawValue, "--port", "\(field.port)", "--password-file", field.directory.toolsSecret,
                "--counter", field.counterFile, "--root", field.root, "--status-bytes", "\(BenchConsumer.statusBytes)",
                "--users", field.seed.terminals.map(\.uid).joined(separator: ","),
            ],
            of: Executables.ownPath.string,
            output: output
        ) { TextFile.read(output)?.contains("ready\n") == true }
    }

    /// Starts the service, and waits until all its parts accept work.
    ///
    /// - Throws: `LoadError`, or the system's error.
    static func service(_ data: String, port: Int, settings: [String] = []) async throws -> BenchProcess {
        try await start(
            [
                "serve", "--data", data, "--mqtt-port", "\(port)", "--http-port", "0", "--health-port", "0",
                "--log-level", "error",
            ] + settings.flatMap { ["--set", $0] },
            output: data + "/service.log"
        ) { TextFile.exists(data + "/ready.json") }
    }

    /// Sends SIGTERM to the process, waits for its exit, and kills it if this takes ten seconds.
    func stop() async {
        process.send(SIGTERM)
        let killer = Task {
            try await Task.sleep(for: .seconds(10))
            process.send(SIGKILL)
        }
        _ = await process.waitForExit()
        killer.cancel()
    }

    /// Returns the process's resident memory in megabytes, or its peak if `peak` is true.
    func memory(peak: Bool = false) -> Double {
        let name = peak ? "VmHWM:" : "VmRSS:"
        let status = TextFile.read("/proc/\(process.pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0"
        return (Double(kilobytes) ?? 0) / 1024
    }

    /// The processor time that the process has used, in seconds.
    var processorSeconds: Double { ProcessorTime.seconds(of: Int(process.pid)) }

    private static func start(
        _ arguments: [String],
        of program: String = MeasuredProgram.current.program,
        output: String,
        _ isReady: () -> Bool
    ) async throws -> BenchProcess {
        let stopwatch = Stopwatch()
        let process = try await ChildProcess.launch(program, arguments, output: output)
        while !isReady() {
            guard process.exit == nil, stopwatch.seconds < 30 else {
                process.send(SIGKILL)
                let said = (TextFile.read(output) ?? "").suffix(500)
                throw LoadError.failed("\(arguments[0]) did not become ready: \(said)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        return BenchProcess(process: process, readySeconds: stopwatch.seconds)
    }
}
