import Foundation
import Glibc

/// A Mosquitto broker that listens on a free loopback port for one test.
package final class BrokerProcess: Sendable {
    /// The port on which the broker listens.
    package let port: Int
    /// The directory that contains the broker's configuration and other files.
    package let directory: TemporaryDirectory
    private let process: ChildProcess

    /// Whether Mosquitto is installed.
    package static var isInstalled: Bool { executable != nil }

    static var executable: String? {
        ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"]
            .first { access($0, X_OK) == 0 }
    }

    /// Settings for most tests: the service's limits on messages, and no access control.
    package static let open = """
        allow_anonymous true
        max_inflight_messages 1000
        max_queued_messages 100000
        """

    /// Starts a broker and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - settings: Lines of `mosquitto.conf` that follow the line of the listener.
    ///   - port: A free port, such as the port of a stopped broker.
    ///   - directory: The directory that contains the files named in `settings`.
    /// - Throws: `BrokerError`, with the broker's log if the broker did not start.
    package init(settings: String = BrokerProcess.open, port: Int? = nil, directory: TemporaryDirectory? = nil) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        var result = try Self.start(settings, port ?? Self.freePort(), directory)
        // Another process can take the port between the check and the broker's start.
        for _ in 0..<10 where port == nil && result.process == nil {
            result = try Self.start(settings, Self.freePort(), directory)
        }
        guard let process = result.process else { throw BrokerError.notReady(Self.log(in: directory)) }
        self.process = process
        self.port = result.port
    }

    /// Starts a broker, or returns no process if it isn't ready after ten seconds.
    private static func start(
        _ settings: String,
        _ port: Int,
        _ directory: TemporaryDirectory
    ) throws -> (process: ChildProcess?, port: Int) {
        guard let executable else { throw BrokerError.notInstalled }
        let configuration = try directory.write(
            """
            listener \(port) 127.0.0.1
            \(settings)
            user root
            persistence false
            log_dest file \(directory.path("mosquitto.log"))

            """,
            to: "mosquitto.conf"
        )
        let process = try ChildProcess(executable, ["-c", configuration])
        let deadline = ContinuousClock.now.advanced(by: .seconds(10))
        // The log is checked as well, since another process could be listening on the port.
        while !log(in: directory).contains(" running\n") || !accepts(port) {
            guard process.isRunning, ContinuousClock.now < deadline else { return (nil, port) }
            usleep(2000)
        }
        return (process, port)
    }

    /// The broker's process id.
    package var pid: Int32 { process.pid }

    /// Ends the broker with a signal, and waits for its exit.
    ///
    /// With SIGKILL, the broker sends no message to its clients.
    package func stop(_ signal: Int32 = SIGTERM) { process.stop(signal) }

    /// Pauses or resumes the broker; its connections stay open.
    package func pause(_ isPaused: Bool) { process.signal(isPaused ? SIGSTOP : SIGCONT) }

    /// The content of the broker's log so far.
    package var log: String { Self.log(in: directory) }

    private static func log(in directory: TemporaryDirectory) -> String {
        (try? String(contentsOfFile: directory.path("mosquitto.log"), encoding: .utf8)) ?? ""
    }

    /// Returns whether a process listens on a loopback port.
    package static func accepts(_ port: Int) -> Bool { succeeds(connect, port) }

    /// Returns an unused loopback port outside the system's range for outgoing connections.
    ///
    /// The system could give a port in that range to a connection before the broker listens on it.
    package static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = Int.random(in: 15_000..<32_000)
            if succeeds(bind, port) { return port }
        }
        throw BrokerError.noPort
    }

    /// Returns whether `connect` or `bind` succeeds for a new socket and a loopback port.
    private static func succeeds(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// The reason why a test has no broker.
package enum BrokerError: Error {
    case notInstalled
    case noPort
    case notReady(String)
}
