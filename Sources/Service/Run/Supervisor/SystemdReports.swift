import Files
import Glibc
import Providers
import ServiceSettings
import Synchronization
import Web
import Workers

/// Reports to systemd what becomes of the service: that it starts, is ready, lives, waits for something, stops.
///
/// It lives as long as it answers its own health check over HTTP. A broker that is away is no reason to be
/// restarted: then the status line says what the service waits for.
///
/// Thread safety: all members are constant or atomic.
final class SystemdReports: Sendable {
    private let socket: SystemdSocket
    private let readiness: Readiness
    private let isReady: @Sendable ([Readiness.Part]) -> Bool
    private let isAlive: @Sendable () -> Bool
    private let isStopping = Atomic(false)

    /// Prepares the reports.
    ///
    /// - Parameters:
    ///   - socket: Where systemd listens.
    ///   - readiness: The parts of the service; what they wait for is the status line.
    ///   - isReady: Whether `systemctl start` has waited long enough.
    ///   - isAlive: Runs the health check; it may block for as long as a third of the watchdog's time.
    init(
        socket: SystemdSocket,
        readiness: Readiness,
        isReady: @escaping @Sendable ([Readiness.Part]) -> Bool,
        isAlive: @escaping @Sendable () -> Bool
    ) {
        self.socket = socket
        self.readiness = readiness
        self.isReady = isReady
        self.isAlive = isAlive
    }

    /// Reports from now on, on a thread of its own, which a blocked pool does not block.
    func start() {
        PlainThread.detach { [self] in run() }
    }

    /// Reports that the service stops; nothing is reported after that.
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
                // Bringing a large store up to date may take longer than a start usually may.
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

    /// Waits until it is time to look again: soon while the service starts, often enough for the watchdog later.
    private func pause(_ hasStarted: Bool) {
        let longest = min(ServiceLimits.reportInterval, (socket.watchdog ?? .seconds(60)) / 8)
        let (seconds, attoseconds) = (hasStarted ? longest : ServiceLimits.startReportInterval)
            .components
        usleep(UInt32(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
    }

    /// The one line that `systemctl status` shows.
    static func status(_ parts: [Readiness.Part]) -> String {
        let waiting = parts.compactMap { part in part.waitsFor.map { "\(part.name): \($0)" } }
        guard !waiting.isEmpty else { return "accepts work" }
        let text = "waits for " + waiting.joined(separator: "; ")
        return String(text.prefix(200)).replacing("\n", with: " ")
    }
}

extension SystemdReports {
    /// Makes the reports of a run; nil where systemd asks for none.
    ///
    /// `up` is ready when everything accepts work and `ready.json` is written. `serve` is ready before its broker:
    /// that one may be made ready after it, and is waited for.
    static func make(_ context: RunContext, _ environment: [String: String]) -> SystemdReports? {
        guard let socket = SystemdSocket(environment) else { return nil }
        let (readyFile, ownsBroker) = (context.directory.ready, context.ownsBroker)
        let host = Banner.reachable(context.settings.healthHost)
        let authority = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        let address = "http://\(authority):\(context.ports.health)/healthz"
        let patience = (socket.watchdog ?? .seconds(30)) / 6
        return SystemdReports(
            socket: socket,
            readiness: context.readiness,
            isReady: { parts in
                ownsBroker
                    ? TextFile.exists(readyFile)
                    : parts.allSatisfy {
                        $0.waitsFor == nil || $0.name == BrokerMonitor.gatePart
                            || $0.name.hasPrefix("worker ")
                    }
            },
            isAlive: { WebClient.body(of: address, within: patience) != nil }
        )
    }
}
