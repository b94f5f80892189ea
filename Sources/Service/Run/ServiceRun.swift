import CoreMetrics
import Foundation
import Glibc
package import JSON
import Logging
import ServiceLifecycle
import Storage
import UnixSignals
import Web
import Workers

/// Composes and runs the service: `up` with a broker of its own, `serve` against a given one.
package struct ServiceRun: Sendable {
    private let settings: Settings
    private let ownBroker: Bool
    private let tell: @Sendable (String) -> Void
    private let showReady: (@Sendable (JSONValue) -> Void)?
    private let started = ContinuousClock.now

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - settings: The settings in force.
    ///   - ownBroker: True for `up`.
    ///   - showReady: Takes what ready.json has, without secrets, when everything accepts work; then there is no
    ///     banner.
    ///   - tell: Takes the banner and what else a person should see.
    package init(
        settings: Settings,
        ownBroker: Bool,
        showReady: (@Sendable (JSONValue) -> Void)? = nil,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.ownBroker = ownBroker
        self.tell = tell
        self.showReady = showReady
    }

    /// Runs until SIGINT or SIGTERM, and drains.
    ///
    /// - Throws: A `Problem` where something that is needed is missing, taken or broken.
    package func run() async throws {
        do {
            try await runAll()
        } catch {
            throw Problem.ofStart(error, in: AbsolutePath.of(settings.dataDirectory))
        }
    }

    private func runAll() async throws {
        LogSetup.install(level: settings.logLevel)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        ProcessSampler.install(in: metrics)
        FileLimit.raise()
        MemoryLimit.set(bytes: settings.number(.memoryMegabytes) << 20)
        // A peer that hangs up is an error of one call, not the end of the process.
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
        Logger(label: "lamplighter").notice(
            "ended the broker of a killed service",
            metadata: ["broker.pid": "\(pid)"]
        )
    }

    /// Two listeners can't share a port, which shows only when both listen.
    private func checkDistinct(_ mqttPort: Int) throws {
        var holders: [Int: String] = ownBroker ? [mqttPort: "the broker"] : [:]
        let asked = [
            ("HTTP", "http", settings.httpHost, settings.httpPort),
            ("health", "health", settings.healthHost, settings.healthPort),
        ]
        for (name, flag, host, port) in asked where port != 0 {
            guard let holder = holders.updateValue(name, forKey: port) else { continue }
            throw Problem(
                .portTaken,
                "port \(port) is asked for twice, by \(holder) and by \(name)",
                at: "\(host):\(port)",
                why: "each listens on a port of its own",
                cures: [.init("lamplighter up --\(flag)-port 0", "any free port")]
            )
        }
    }

    private func chooseWebPorts() throws -> (http: Int, health: Int) {
        let http = try Ports.choose(
            settings.httpPort,
            host: settings.httpHost,
            flag: "http-port",
            purpose: "the pages behind links are served there"
        )
        var health = http
        // What is free is not taken yet, so that the same one may be found twice.
        repeat {
            health = try Ports.choose(
                settings.healthPort,
                host: settings.healthHost,
                flag: "health-port",
                purpose: "readiness and metrics are served there"
            )
        } while health == http && settings.healthPort == 0
        return (http, health)
    }

    private func makeContext(
        _ directory: DataDirectory,
        _ metrics: PrometheusRegistry
    ) throws -> RunContext {
        let mqttPort =
            ownBroker
            ? try Ports.choose(
                settings.mqttPort,
                host: settings.mqttHost,
                flag: "mqtt-port",
                purpose: "\"up\" starts a broker of its own"
            ) : settings.mqttPort
        try checkDistinct(mqttPort)
        let (httpPort, healthPort) = try chooseWebPorts()
        let parts =
            (ownBroker ? ["broker"] : []) + ["health", "http", "store"]
            + settings.workers.map { "worker \($0.rawValue)" }
        return RunContext(
            settings: settings,
            directory: directory,
            secrets: try ServiceSecrets(directory),
            demo: ownBroker && settings.makesDemo ? try DemoKeys.readOrMake(directory) : nil,
            ownsBroker: ownBroker,
            mqttPort: mqttPort,
            httpPort: httpPort,
            healthPort: healthPort,
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
        broker: BrokerChild?,
        ready: ReadyFile,
        systemd: SystemdReports?
    ) async throws {
        StoreSampler.install(in: context.metrics, context)
        BackupTask.install(in: context.metrics, context.directory)
        let announcer = Announcer(readiness: context.readiness) {
            try ready.write(context)
            guard let showReady else { return tell(banner(context, backend).text) }
            showReady(ReadyFile.json(context, withSecrets: false))
        }
        let deadline = ShutdownDeadline(
            limit: ServiceLimits.drainMax,
            onBegin: {
                systemd?.stop()
                broker?.expectEnd()
            },
            onForce: {
                ready.remove()
                context.logger.error("drain took longer than 5 s, ending anyway")
            }
        )
        let first: [any Service] = broker.map { [$0] } ?? []
        let services =
            first + backend.services + listeners(context, backend) + [announcer, deadline]
        try await ServiceGroup(configuration: configuration(services, context.logger)).run()
    }

    private func listeners(_ context: RunContext, _ backend: Backend) -> [any Service] {
        let limits = ListenerLimits(
            connections: settings.number(.httpConnections),
            perAddress: settings.number(.httpPerAddress),
            headerSeconds: Int64(settings.number(.httpHeader))
        )
        let health = HealthServer(
            host: settings.healthHost,
            port: context.healthPort,
            readiness: context.readiness,
            metrics: context.metrics,
            logger: context.logger
        )
        let pages = WebServer(
            host: settings.httpHost,
            port: context.httpPort,
            readiness: context.readiness,
            pages: backend.pages,
            documents: ReferenceDocuments.documents,
            limits: limits,
            logger: context.logger
        )
        return [health, pages]
    }

    private func configuration(
        _ services: [any Service],
        _ logger: Logger
    ) -> ServiceGroupConfiguration {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        return ServiceGroupConfiguration(
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
    }

    private func banner(_ context: RunContext, _ backend: Backend) -> Banner {
        let elapsed = (ContinuousClock.now - started).components
        return Banner(
            context: context,
            store: backend.summary,
            seconds: Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        )
    }
}
