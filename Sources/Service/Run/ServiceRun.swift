import CoreMetrics
import Domain
import Files
import Foundation
import Glibc
package import JSON
import Logging
import Problems
import ServiceLifecycle
package import ServiceSettings
import UnixSignals
import Web
import Workers

/// A run of the service: `up` with its own broker, or `serve` with a given broker.
package struct ServiceRun: Sendable {
    private let settings: Settings
    private let ownBroker: Bool
    private let messages: RunMessages
    private let showReady: (@Sendable (JSONValue) -> Void)?
    private let makeConsole: ConsoleMaker?
    private let started = ContinuousClock.now

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - settings: The settings in force.
    ///   - ownBroker: Whether the service runs its own broker, as `up` does.
    ///   - showReady: The function that receives the content of `ready.json`, without secrets, when everything accepts
    ///     work. If the function is given, no banner is shown.
    ///   - makeConsole: The function that creates the operators' console, or nil to serve no console.
    ///   - messages: The messages outside the log, such as the banner.
    package init(
        settings: Settings,
        ownBroker: Bool,
        showReady: (@Sendable (JSONValue) -> Void)?,
        makeConsole: ConsoleMaker?,
        messages: RunMessages
    ) {
        self.makeConsole = makeConsole
        self.settings = settings
        self.ownBroker = ownBroker
        self.messages = messages
        self.showReady = showReady
    }

    /// Runs until SIGINT or SIGTERM, and then finishes the work that has begun.
    ///
    /// - Throws: A `Problem` if something that the service needs is missing, in use or broken.
    package func run() async throws {
        do {
            try await runAll()
        } catch {
            throw Problem.ofStart(error, in: AbsolutePath.of(settings.dataDirectory))
        }
    }

    private func runAll() async throws {
        LogSetup.install(settings)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        ProcessSampler.install(in: metrics)
        ServiceSampler.install(in: metrics)
        FileLimit.raise()
        MemoryLimit.set(bytes: settings.memoryBytes)
        // Without this line, a write to a closed connection would end the process.
        signal(SIGPIPE, SIG_IGN)

        let directory = try DataDirectory.prepare(settings.dataDirectory)
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let ready = ReadyFile(directory)
        if ownBroker { await endOrphan(directory) }
        let context = try makeContext(directory, metrics)
        let broker = ownBroker ? try makeBroker(context) : nil
        let systemd = SystemdReports.make(context, ProcessInfo.processInfo.environment)
        systemd?.start()
        let backend = try Backend.open(context)
        do {
            try await broker?.start()
            try await runGroup(
                context,
                backend,
                broker: broker,
                ready: ready,
                systemd: systemd
            )
        } catch {
            ready.remove()
            await broker?.stop()
            throw error
        }
        ready.remove()
    }

    private func endOrphan(_ directory: DataDirectory) async {
        guard let pid = await OrphanBroker.end(in: directory) else { return }
        Logger(label: "lamplighter").notice("ended the broker of a killed service", metadata: ["broker.pid": "\(pid)"])
    }

    private func makeContext(_ directory: DataDirectory, _ metrics: PrometheusRegistry) throws -> RunContext {
        try LocalHosts.check(settings, ownsBroker: ownBroker)
        let tls = try TLSFiles.find(settings, in: directory).map { try TLSMaterial($0) }
        let facts = ListenerPorts.Facts(
            ownsBroker: ownBroker,
            hasCertificate: tls != nil,
            hasAuthority: tls?.authority != nil,
            // Only the process with the session worker relays WebSocket connections. Even this process doesn't relay
            // them if the broker needs TLS.
            relays: settings.workers.contains(.session) && (ownBroker || settings.mqttCAFile == nil),
            // Only the process with the session worker serves the console.
            hasConsole: makeConsole != nil && settings.hasConsole && settings.workers.contains(.session)
        )
        if facts.hasConsole {
            try LocalHosts.checkConsole(settings, hasCertificate: tls != nil)
        }
        let ports = try ListenerPorts(settings, facts)
        let hasRelay = ports.webSocket != nil || ports.webSocketTLS != nil
        let workers = settings.database != nil && !ownBroker ? ["cluster"] : settings.workers.map(\.rawValue)
        let parts =
            (ownBroker ? ["broker"] : [BrokerMonitor.gatePart]) + ["health", "http", "store"]
            + (hasRelay ? ["websocket"] : []) + (facts.hasConsole ? ["console"] : []) + workers.map { "worker \($0)" }
        return RunContext(
            settings: settings,
            directory: directory,
            secrets: try ServiceSecrets(
                directory,
                serviceFile: settings.serviceSecretFile
            ),
            demo: ownBroker && settings.makesDemo ? try DemoKeys.readOrMake(directory) : nil,
            ownsBroker: ownBroker,
            ports: ports,
            tls: tls,
            readiness: Readiness(parts: parts, others: ["disk"]),
            metrics: metrics,
            logger: Logger(label: "lamplighter")
        )
    }

    private func makeBroker(_ context: RunContext) throws -> BrokerChild {
        BrokerChild(
            plan: try BrokerPlan(
                settings: settings,
                directory: context.directory,
                ports: context.ports,
                tls: context.tls,
                secret: context.secrets.service
            ),
            readiness: context.readiness,
            logger: context.logger
        )
    }

    /// Runs all parts, and stops them in reverse order, the broker last.
    private func runGroup(
        _ context: RunContext,
        _ backend: Backend,
        broker: BrokerChild?,
        ready: ReadyFile,
        systemd: SystemdReports?
    ) async throws {
        StoreSampler.install(in: context.metrics, context)
        BackupTask.install(in: context.metrics, context.directory)
        OpenListener.warn(of: context.openListeners, by: context.logger)
        let console = context.ports.console == nil ? nil : try makeConsole?(context, backend)
        let announcer = Announcer(readiness: context.readiness) {
            try ready.write(context)
            if let showReady { return showReady(ReadyFile.json(context, withSecrets: false)) }
            var banner = banner(context, backend)
            // The link grants access. It is printed only on a terminal or in a trial with a demo, and is never part of
            // a JSON log.
            if ownBroker, context.demo != nil || isatty(1) == 1 { banner.link = try console?.firstLink() }
            messages.say(banner.text, asEvent: "Everything accepts work", banner.metadata)
        }
        let deadline = ShutdownDeadline(
            limit: ServiceLimits.drainMax,
            onBegin: {
                systemd?.stop()
                broker?.expectEnd()
                backend.handOver()
            },
            onForce: {
                ready.remove()
                context.logger.error("draining took longer than 5 s, ending anyway")
            }
        )
        let first: [any Service] = broker.map { [$0] } ?? []
        let listeners = try WebListeners(context, backend, broker: broker, console: console).services
        let services = first + backend.services + listeners + [announcer, deadline]
        try await ServiceGroup(configuration: configuration(services, context.logger)).run()
    }

    private func configuration(_ services: [any Service], _ logger: Logger) -> ServiceGroupConfiguration {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        return ServiceGroupConfiguration(
            services: services.map {
                .init(service: $0, successTerminationBehavior: .ignore, serviceName: "\(type(of: $0))")
            },
            gracefulShutdownSignals: [.sigint, .sigterm],
            logger: quiet
        )
    }

    private func banner(_ context: RunContext, _ backend: Backend) -> Banner {
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        return Banner(context: context, store: backend.summary, seconds: seconds)
    }
}
