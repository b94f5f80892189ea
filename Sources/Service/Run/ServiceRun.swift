import CoreMetrics
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals
import Web

/// Composes and runs the service: `up` with a broker of its own, `serve` against a given one.
package struct ServiceRun: Sendable {
    private let settings: Settings
    private let ownBroker: Bool
    private let tell: @Sendable (String) -> Void
    private let started = ContinuousClock.now

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - settings: The settings in force.
    ///   - ownBroker: True for `up`.
    ///   - tell: Takes the banner and what else a person should see.
    package init(
        settings: Settings,
        ownBroker: Bool,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.ownBroker = ownBroker
        self.tell = tell
    }

    /// Runs until SIGINT or SIGTERM, and drains.
    ///
    /// - Throws: A `Problem` where something that is needed is missing, taken or broken.
    package func run() async throws {
        LogSetup.install(level: settings.logLevel)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        ProcessSampler.install(in: metrics)
        FileLimit.raise()
        // A peer that hangs up is an error of one call, not the end of the process.
        signal(SIGPIPE, SIG_IGN)

        let directory = try DataDirectory.prepare(settings.dataDirectory)
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        let ready = ReadyFile(directory)
        let context = try await makeContext(directory, metrics)
        let httpPort = try Ports.choose(
            settings.httpPort,
            host: settings.httpHost,
            flag: "http-port",
            purpose: "health, readiness and metrics are served there"
        )
        let broker = ownBroker ? try makeBroker(context) : nil
        try await broker?.start()
        do {
            let backend = try Backend.open(context)
            try await runGroup(context, backend, broker, httpPort, ready)
        } catch {
            ready.remove()
            await broker?.stop()
            throw error
        }
        ready.remove()
    }

    private func makeContext(
        _ directory: DataDirectory,
        _ metrics: PrometheusRegistry
    ) async throws -> RunContext {
        let logger = Logger(label: "lamplighter")
        var mqttPort = settings.mqttPort
        if ownBroker {
            if let pid = await OrphanBroker.end(in: directory) {
                logger.notice(
                    "ended the broker of a killed service",
                    metadata: ["broker.pid": "\(pid)"]
                )
            }
            mqttPort = try Ports.choose(
                mqttPort,
                host: settings.mqttHost,
                flag: "mqtt-port",
                purpose: "\"up\" starts a broker of its own"
            )
        }
        let parts = ["broker", "http", "store"] + settings.workers.map { "worker \($0)" }
        return RunContext(
            settings: settings,
            directory: directory,
            secrets: try ServiceSecrets(directory),
            demo: ownBroker && settings.makesDemo ? try DemoKeys.readOrMake(directory) : nil,
            ownsBroker: ownBroker,
            mqttPort: mqttPort,
            readiness: Readiness(parts: parts),
            metrics: metrics,
            logger: logger
        )
    }

    private func makeBroker(_ context: RunContext) throws -> BrokerChild {
        BrokerChild(
            plan: try BrokerPlan(
                settings: settings,
                directory: context.directory,
                port: context.mqttPort,
                secret: context.secrets.service
            ),
            readiness: context.readiness,
            logger: context.logger
        )
    }

    /// Runs all parts; they stop in the reverse order, the broker last.
    private func runGroup(
        _ context: RunContext,
        _ backend: Backend,
        _ broker: BrokerChild?,
        _ httpPort: Int,
        _ ready: ReadyFile
    ) async throws {
        let announce = Announcer(readiness: context.readiness) {
            try ready.write(
                mqttPort: context.mqttPort,
                httpPort: httpPort,
                secrets: context.secrets,
                demo: context.demo
            )
            tell(banner(context, backend, httpPort).text)
        }
        let deadline = ShutdownDeadline(limit: .seconds(5)) {
            ready.remove()
            context.logger.error("drain took longer than 5 s, ending anyway")
        }
        let web = WebServer(
            host: settings.httpHost,
            port: httpPort,
            readiness: context.readiness,
            metrics: context.metrics,
            logger: context.logger
        )
        let parts = [broker].compactMap { $0 } as [any Service]
        let services = parts + backend.services + [web, announce, deadline]
        var quiet = context.logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        var configuration = ServiceGroupConfiguration(
            services: services.map {
                .init(
                    service: $0,
                    successTerminationBehavior: .ignore,
                    serviceName: "\(type(of: $0))"
                )
            },
            gracefulShutdownSignals: [.sigint, .sigterm],
            logger: quiet
        )
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        try await ServiceGroup(configuration: configuration).run()
    }

    private func banner(_ context: RunContext, _ backend: Backend, _ httpPort: Int) -> Banner {
        let elapsed = ContinuousClock.now - started
        return Banner(
            version: Version.text,
            directory: context.directory,
            settingsFile: settings.file,
            mqttHost: settings.mqttHost,
            mqttPort: context.mqttPort,
            httpHost: settings.httpHost,
            httpPort: httpPort,
            root: settings.root,
            workers: settings.workers,
            store: backend.summary,
            demo: context.demo,
            seconds: Double(elapsed.components.seconds)
                + Double(elapsed.components.attoseconds) / 1e18
        )
    }
}
