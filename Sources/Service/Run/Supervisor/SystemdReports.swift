import Files
import Glibc
import Providers
import ServiceSettings
import Synchronization
import Web
import Workers

/// The reports that tell systemd that the service is starting, ready, alive, waiting or stopping.
///
/// The service counts as alive while it answers its own health check over HTTP. If the broker is missing, systemd
/// doesn't restart the service. The status line then says that the service is waiting for the broker.
///
/// All members are constant or atomic, so several threads can use the class.
final class SystemdReports: Sendable {
    private let socket: SystemdSocket
    private let readiness: Readiness
    private let isReady: @Sendable ([Readiness.Part]) -> Bool
    private let isAlive: @Sendable () -> Bool
    private let isStopping = Atomic(false)

    /// Prepares the reports.
    ///
    /// - Parameters:
    ///   - socket: The socket on which systemd listens.
    ///   - readiness: The parts of the service. The status line names the unready parts.
    ///   - isReady: Returns whether the start has finished. The command `systemctl start` waits until then.
    ///   - isAlive: Runs the health check. The check can block for up to a third of the watchdog's
    ///     time.
    init(
        socket: SystemdSocket,
        readiness: Readiness,
        isReady: @escaping @Sendable ([Readiness.Part]) -> Bool,
        isAlive: @escaping @Sendable () -> Bool
    ) {
        (self.socket, self.readiness, self.isReady, self.isAlive) = (socket, readiness, isReady, isAlive)
    }

    /// Starts the reports on a separate thread, so that they continue even if the task pool is blocked.
    func start() {
        PlainThread.detach { [self] in run() }
    }

    /// Reports that the service is stopping; nothing is reported after that.
    func stop() {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        socket.send(["STOPPING=1", "STATUS=stopping"])
    }

    private func run() {
        var (shown, hasStarted) = ("", false)
        var (extend, ping) = (ContinuousClock.now, ContinuousClock.now)
        while !isStopping.load(ordering: .relaxed) {
            let parts = readiness.parts
            var lines: [String] = []
            if hasStarted {
                if let watchdog = socket.watchdog, ping <= .now, isAlive() {
                    lines.append("WATCHDOG=1")
                    ping = .now + watchdog / 4
                }
            } else if isReady(parts) {
                hasStarted = true
                lines.append("READY=1")
            } else if extend <= .now {
                // Migrating a large store can take longer than systemd allows for a start.
                lines.append("EXTEND_TIMEOUT_USEC=60000000")
                extend = .now + ServiceLimits.startExtensionInterval
            }
            let status = Self.status(parts)
            if status != shown { lines.append("STATUS=" + status) }
            shown = status
            if !lines.isEmpty, !isStopping.load(ordering: .relaxed) { socket.send(lines) }
            pause(hasStarted)
        }
    }

    /// Waits until the next check, which comes sooner while the service is starting.
    private func pause(_ hasStarted: Bool) {
        let longest = min(ServiceLimits.reportInterval, (socket.watchdog ?? .seconds(60)) / 8)
        let (seconds, attoseconds) = (hasStarted ? longest : ServiceLimits.startReportInterval).components
        usleep(UInt32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
    }

    /// Returns the line that `systemctl status` shows.
    static func status(_ parts: [Readiness.Part]) -> String {
        let waiting = parts.compactMap { part in part.waitsFor.map { "\(part.name): \($0)" } }
        guard !waiting.isEmpty else { return "accepts work" }
        let text = "waits for " + waiting.joined(separator: "; ")
        return String(text.prefix(200)).replacing("\n", with: " ")
    }
}

extension SystemdReports {
    /// Creates the reports of a run, or returns nil if systemd requests no reports.
    ///
    /// `up` is ready when all parts of the service accept work and `ready.json` has been written. `serve` counts as
    /// ready even without its broker, which systemd can start later.
    static func make(_ context: RunContext, _ environment: [String: String]) -> SystemdReports? {
        guard let socket = SystemdSocket(environment) else { return nil }
        let (readyFile, ownsBroker) = (context.directory.ready, context.ownsBroker)
        let health = Banner.url("http", context.settings.healthHost, port: context.ports.health)
        let patience = (socket.watchdog ?? .seconds(30)) / 6
        return SystemdReports(
            socket: socket,
            readiness: context.readiness,
            isReady: { parts in
                ownsBroker
                    ? TextFile.exists(readyFile)
                    : parts.allSatisfy {
                        $0.waitsFor == nil || $0.name == BrokerMonitor.gatePart || $0.name.hasPrefix("worker ")
                    }
            },
            isAlive: { WebClient.body(of: health + "/healthz", within: patience) != nil }
        )
    }
}
