import Credentials
import Glibc
import TestKit
import Testing

@testable import Gate

/// A Mosquitto broker with the newly built gate on a free loopback port.
final class GateBroker {
    let port: UInt16
    let folder: String
    private let pid: pid_t
    /// A socket that keeps the broker running.
    ///
    /// A shell kills the broker when this socket closes. The socket closes at the latest when this process ends.
    private let lifeline: Int32

    var credentials: String { "\(folder)/credentials" }
    static let worker = "the worker's password"

    /// Starts the broker and waits until it accepts connections.
    ///
    /// The names in `options` lack the prefix `plugin_opt_`. Missing options have their default values. If `isOther` is
    /// true, the broker claims to be another version of Mosquitto. The gate doesn't know the private structures of that
    /// version.
    init(
        _ records: [Record] = [],
        newClientsPerMinute: Int = 30,
        options: [String: Int] = [:],
        qos: Int = 2,
        isOther: Bool = false
    ) throws {
        folder = try Self.makeFolder()
        port = UInt16(try BrokerProcess.freePort())
        var file = try CredentialsFile(path: "\(folder)/credentials")
        try file.rewrite(records)
        try Self.write(
            """
            listener \(port) 127.0.0.1
            allow_anonymous false
            user \(Self.user())
            persistence false
            max_inflight_messages 100
            max_qos \(qos)
            log_dest file \(folder)/log
            plugin \(Self.library())
            plugin_opt_credentials \(folder)/credentials
            plugin_opt_root ll/v1
            plugin_opt_worker_hash \(Self.hex(Self.worker))
            plugin_opt_new_clients_per_minute \(newClientsPerMinute)
            \(options.map { "plugin_opt_\($0.key) \($0.value)" }.joined(separator: "\n"))
            """,
            to: "\(folder)/conf"
        )
        (pid, lifeline) = try Self.spawn("\(folder)/conf", isOther: isOther)
        close(try MiniClient.open(port, within: 30))
    }

    deinit {
        close(lifeline)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        for name in [
            "credentials", "credentials.lock", "credentials.new", "conf", "conf.program", "log",
        ] {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    /// Appends records to the credentials file, as the service does.
    func append(_ records: Record...) throws {
        var file = try CredentialsFile(path: credentials)
        try file.append(records)
    }

    /// Makes the broker reload its configuration, and waits until its log confirms the reload.
    func reload() throws {
        try #require(kill(pid_t(try brokerPID()), SIGHUP) == 0)
        let end = Clock.steady() + 10_000
        while try !Self.read("\(folder)/log", upTo: 1 << 20).contains("Reloading config.") {
            try #require(Clock.steady() < end, "the broker does not reload")
            usleep(5_000)
        }
    }

    /// Returns the process id of the broker, which is the only child of the guarding shell.
    private func brokerPID() throws -> Int {
        let child = try Self.read("/proc/\(pid)/task/\(pid)/children")
        return try #require(Int(child.split(separator: " ").first ?? ""))
    }

    /// Returns the broker's resident memory, in bytes.
    func memory() throws -> Int {
        let pages = try Self.read("/proc/\(brokerPID())/statm").split(separator: " ")
        return try #require(pages.count > 1 ? Int(pages[1]) : nil) * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func read(_ path: String, upTo limit: Int = 4_096) throws -> String {
        let file = open(path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(file, &bytes, bytes.count)
        try #require(count > 0)
        return String(decoding: bytes[..<count].filter { $0 != 10 }, as: UTF8.self)
    }

    static func hash(_ secret: String) throws -> Digest {
        try #require(secret.withCString { Hash.of($0, count: strlen($0)) })
    }

    private static func hex(_ secret: String) throws -> String {
        try hash(secret).bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the path of the gate's library, which is in the folder of the test program.
    private static func library() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        try #require(count > 0)
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let library = own[..<(own.lastIndex(of: "/") ?? own.endIndex)] + "/libLamplighterGate.so"
        try #require(access(String(library), R_OK) == 0, "build the product LamplighterGate first")
        return String(library)
    }

    /// Returns the name of the user who runs the tests.
    ///
    /// A broker that runs as this user can read the tests' files.
    private static func user() throws -> String {
        let entry = try #require(getpwuid(getuid()))
        return String(cString: entry.pointee.pw_name)
    }

    private static func makeFolder() throws -> String {
        let folder = "\(P_tmpdir)/lamplighter-gate-\(UInt64.random(in: 0 ... .max))"
        try #require(mkdir(folder, 0o700) == 0)
        return folder
    }

    static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }

    private static func spawn(
        _ configuration: String,
        isOther: Bool
    ) throws -> (pid_t, Int32) {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, MiniClient.streamType, 0, &ends) == 0)
        // The shell kills the broker with SIGKILL, which the broker can neither block nor delay.
        let copying = #"LC_ALL=C sed 's/2[.]0[.]11/2.0.99/' "$b" > "$0.program"; b=$0.program;"#
        let script = """
            PATH=$PATH:/usr/sbin; b=$(command -v mosquitto)
            \(isOther ? "\(copying) chmod +x \"$b\"" : "")
            "$b" -c "$0" & read -r end; kill -9 $!
            """
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        let words = ["sh", "-c", script, configuration].map { (word: String) in strdup(word) }
        defer { words.forEach { free($0) } }
        // The broker must be able to receive SIGHUP, so it starts without blocked signals.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        try #require(posix_spawn(&pid, "/bin/sh", &actions, &attributes, words + [nil], environ) == 0)
        close(ends[0])
        return (pid, ends[1])
    }
}
