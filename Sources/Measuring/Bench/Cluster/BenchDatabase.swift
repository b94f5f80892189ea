import Files
import Glibc
import Load
import PostgreSQL
import Service

/// A private PostgreSQL server, which ends with the benchmark that started it.
struct BenchDatabase {
    /// The folder in which Debian's package installs the server's programs.
    private static let programs = "/usr/lib/postgresql/15/bin"

    private let process: ChildProcess
    private let folder: String
    let port: Int

    /// Creates a server in a new folder and starts it, with PostgreSQL's default durability.
    ///
    /// - Throws: `LoadError`, or the system's error.
    static func start(port: Int) async throws -> BenchDatabase {
        guard TextFile.exists(programs + "/postgres") else {
            throw LoadError.failed("PostgreSQL 15 is not installed: apt-get install postgresql-15")
        }
        // The server's user might have no access to root's temporary folder. Every user can reach a folder in /tmp.
        let folder = try BenchFolder.make(in: "/tmp")
        let output = folder + ".log"
        let data = folder + "/data"
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        let making = ["-D", data, "-U", "lamplighter", "-A", "trust", "-E", "UTF8", "--locale=C"]
        let made = try await launch("initdb", making, output: output)
        guard await made.waitForExit() == .code(0) else {
            throw LoadError.failed("initdb: \((TextFile.read(output) ?? "").suffix(500))")
        }
        let settings = [
            "listen_addresses=127.0.0.1", "max_connections=400", "shared_buffers=256MB", "deadlock_timeout=200ms",
            "unix_socket_directories=",
        ]
        let serving = ["-D", data, "-p", "\(port)"] + settings.flatMap { ["-c", $0] }
        let process = try await launch("postgres", serving, output: output)
        let database = BenchDatabase(process: process, folder: folder, port: port)
        try await database.make(output)
        return database
    }

    /// Starts a program of the database server so that it always ends together with this process.
    ///
    /// The programs refuse to run as root, so root starts them as the user `postgres`. A process can ask the kernel
    /// for a signal at its parent's death. The kernel forgets this request if the process changes its user. `setpriv`
    /// therefore makes the request again.
    private static func launch(_ program: String, _ arguments: [String], output: String) async throws -> ChildProcess {
        let path = programs + "/" + program
        guard getuid() == 0 else { return try await ChildProcess.launch(path, arguments, output: output) }
        return try await ChildProcess.launch(
            "/usr/bin/setpriv",
            ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig", "INT", "--", path] + arguments,
            output: output
        )
    }

    private func make(_ output: String) async throws {
        let stopwatch = Stopwatch()
        while true {
            do {
                try connect(to: "postgres").execute("CREATE DATABASE bench")
                return
            } catch {
                guard process.exit == nil, stopwatch.seconds < 30 else {
                    throw LoadError.failed("postgres: \((TextFile.read(output) ?? "").suffix(500))")
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    /// Returns a database's address, with the server's own port or a proxy's port.
    func address(over port: Int? = nil, _ name: String = "bench") -> String {
        "postgres://lamplighter@127.0.0.1:\(port ?? self.port)/\(name)"
    }

    /// Connects to one of the server's databases.
    ///
    /// - Throws: `PostgresError`.
    func connect(over port: Int? = nil, to name: String = "bench") throws -> PostgresConnection {
        try PostgresConnection(PostgresAddress(address(over: port, name)))
    }

    /// The processor time that the server's processes have used, in seconds.
    var workSeconds: Double { ProcessorTime.seconds(ofTree: Int(process.pid)) }

    /// Stops the server and removes its files.
    func stop() async {
        process.send(SIGINT)
        _ = await process.waitForExit()
        BenchFolder.remove(folder)
        unlink(folder + ".log")
    }
}

/// The processor time of processes, as the kernel counts it.
enum ProcessorTime {
    /// Returns the processor time of a process, in seconds.
    static func seconds(of pid: Int) -> Double { ticks(pid, count: 2) / perSecond }

    /// Returns the processor time, in seconds, of a process and all its children.
    ///
    /// Ended children are included.
    static func seconds(ofTree pid: Int) -> Double {
        let children = TextFile.names(in: "/proc").compactMap(Int.init).filter { parent($0) == pid }
        return (ticks(pid, count: 4) + children.map { ticks($0, count: 2) }.reduce(0, +)) / perSecond
    }

    private static let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    /// Returns the third and all later fields of a process's `stat` file, described in proc_pid_stat(5).
    private static func fields(_ pid: Int) -> [Substring] {
        let text = TextFile.read("/proc/\(pid)/stat") ?? ""
        return text.split(separator: ")").last?.split(separator: " ") ?? []
    }

    private static func parent(_ pid: Int) -> Int? { fields(pid).dropFirst().first.flatMap { Int($0) } }

    private static func ticks(_ pid: Int, count: Int) -> Double {
        fields(pid).dropFirst(11).prefix(count).compactMap { Double($0) }.reduce(0, +)
    }
}
