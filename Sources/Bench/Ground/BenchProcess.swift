import Files
import Glibc
import Load
import Service
import SystemPackage

/// A process that a benchmark measures: the measured program, or this executable as a consumer to compare with.
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
                "consume", kind.rawValue, "--port", "\(field.port)", "--username",
                "service:tools", "--password-file", field.directory.toolsSecret, "--counter",
                counter, "--root", field.root, "--status-bytes", "\(statusBytes)", "--users",
                field.seed.terminals.map(\.uid).joined(separator: ","),
            ],
            of: Executables.ownPath.string,
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
        let name = peak ? "VmHWM:" : "VmRSS:"
        let status = TextFile.read("/proc/\(process.pid)/status") ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "0"
        return (Double(kilobytes) ?? 0) / 1024
    }

    /// Seconds of processor time that the process has taken.
    var processorSeconds: Double { ProcessorTime.seconds(of: Int(process.pid)) }

    private static func start(
        _ arguments: [String],
        of program: String = MeasuredProgram.current.program,
        output: String,
        _ isReady: () -> Bool
    ) async throws -> BenchProcess {
        let begin = LoadClock.nanoseconds
        let process = try await ChildProcess.launch(
            program,
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
