import Certificates
import Domain
package import Files
package import Logging
import PostgreSQL
import Problems
import Providers
package import ServiceLifecycle
package import ServiceSettings
import Storage
package import Web
import Wire
package import Workers

/// The store and the workers of one process, created, connected and ready to run.
package struct Backend {
    /// A line about the store, for the banner.
    package let summary: String
    /// The services to run: the workers and the maintenance.
    package let services: [any Service]
    /// The function that hands this process's work over to other processes.
    ///
    /// The function is called first at shutdown, since closing the listeners can take a while.
    let handOver: @Sendable () -> Void
    /// The functions of the web pages that users open from links in messages.
    package let pages: Pages
    /// The environment that the workers share.
    package let environment: Environment

    /// Opens the store, and creates the workers.
    ///
    /// The function also stores the principals of the tools and of the console. If there is a demo, the function stores
    /// the demo's product and app.
    ///
    /// - Throws: A `Problem` if the store can't be used.
    package static func open(_ context: RunContext) throws -> Backend {
        let store = try openStore(context)
        if !store.isFile, context.settings.backupDirectory != nil {
            throw Problem.backupOnServer(database: store.summary)
        }
        if !context.sharesWork { try refuseShared(store) }
        try enrol(context, in: store)
        context.readiness.isReady("store")
        store.onAvailability { [readiness = context.readiness, logger = context.logger] reason in
            guard let reason else {
                logger.notice("The database is back; work continues")
                return readiness.isReady("store")
            }
            readiness.isWaiting("store", for: "the database can't be used: \(reason)")
        }
        StoreSampler.install(in: context.metrics, store)
        let membership = context.sharesWork ? try ClusterService.join(store, context) : nil
        var environment = try environment(context, store, among: membership)
        let slow = try BackgroundService(environment.limits, store)
        environment.pool = slow.pools
        environment.endOwed = OwedSessions(try BrokerAccess.workers(context)).end
        let logger = Logger(label: "lamplighter.worker")
        let cluster = try membership.map { try ClusterService($0, context, environment: environment, logger: logger) }
        let workers: [any Service] = try cluster.map { [$0] } ?? workers(context, environment, logger: logger)
        return Backend(
            summary: store.summary,
            services: [
                slow,
                try BrokerMonitor(context, environment),
                WorkService(MaintenanceThread(MaintenanceJobs.files, environment, logger: logger)),
                BackupTask(context, store),
            ] + workers
                // Services are stopped in reverse order. The following services write messages to the outbox. They are
                // stopped before the workers that publish these messages.
                + [WorkService(MaintenanceThread(MaintenanceJobs.rows, environment, isForOne: true, logger: logger))]
                + (try messageSender(context, environment)) + eventServices(context, environment)
                + announcer(context, environment),
            handOver: { [environment] in
                environment.ending.begin()
                cluster?.member.stop()
            },
            pages: pages(LinkService(environment), context.publicURL, visitsPerMinute: context.settings.pageVisits),
            environment: environment
        )
    }

    /// Creates the workers that the settings name, for a process that shares no lanes with other processes.
    private static func workers(
        _ context: RunContext,
        _ environment: Environment,
        logger: Logger
    ) throws -> [WorkService] {
        let names = context.settings.workers
        let proof = context.ownsBroker ? nil : GateProbe.proof(environment.topics)
        if !names.contains(.session) {
            logger.notice(
                """
                No session worker runs here. Run it in another process: it answers requests whose \
                worker is absent, and cuts off ended sessions.
                """
            )
        }
        return try names.map { name in
            let options = try BrokerAccess.workers(context)
            let thread =
                try WorkerThread(name, options: options, proof: proof, environment: environment, logger: logger)
            return WorkService(thread, after: context.readiness)
        }
    }

    /// Opens the store, and logs the progress if a migration first copies the database, which can take minutes.
    private static func openStore(_ context: RunContext) throws -> Store {
        var tenths = -1
        return try StoreAccess.service(
            context.directory,
            StorePlace(context.settings),
            as: context.sharesWork ? .sharing : .alone,
            copying: { done in
                guard Int(done * 10) > tenths else { return }
                tenths = Int(done * 10)
                let done: Logger.MetadataValue = "\(tenths * 10) %"
                context.logger.notice("copying the database before migrating it", metadata: ["done": done])
            },
            onCopy: { path in
                context.logger.notice("copied the database before migrating it", metadata: ["copy": "\(path)"])
            }
        )
    }

    private static func pages(_ links: LinkService, _ publicURL: String, visitsPerMinute visits: Int) -> Pages {
        Pages(
            look: { await links.look($0) },
            follow: { token, password in
                guard let password else { return await links.follow(token) }
                return await links.follow(token, password: password)
            },
            avatar: { digest in await links.avatar(digest).map { ($0.mediaType, $0.bytes) } },
            publicURL: publicURL,
            visitsPerMinute: visits
        )
    }

    /// Returns the sender of messages and pushes if the session worker runs in this process.
    private static func messageSender(_ context: RunContext, _ environment: Environment) throws -> [any Service] {
        guard context.settings.workers.contains(.session) else { return [] }
        let (routes, logger) = (try MessageRoutes.make(context), Logger(label: "lamplighter.delivery"))
        return [WorkService(MessageSender(environment, routes: routes, logger: logger))]
    }

    /// Returns the webhook sender and the notifier if their worker runs in this process.
    private static func eventServices(_ context: RunContext, _ environment: Environment) -> [any Service] {
        guard context.settings.workers.contains(.reach) else { return [] }
        return [
            WorkService(WebhookSender(environment, logger: Logger(label: "lamplighter.webhooks"))),
            WorkService(Notifier(environment, logger: Logger(label: "lamplighter.notifier"))),
        ]
    }

    /// Returns the announcer to Home Assistant if its worker runs in this process.
    private static func announcer(_ context: RunContext, _ environment: Environment) -> [any Service] {
        guard context.settings.workers.contains(.session) else { return [] }
        return [WorkService(HomeAssistantAnnouncer(environment, logger: Logger(label: "lamplighter.homeassistant")))]
    }

    /// Throws a `Problem` if this process would repeat other processes' work on the database.
    private static func refuseShared(_ store: Store) throws {
        guard store.isShared else { return }
        let node = try store.coordinate { try $0.nodes.living().first }
        if let node { throw Problem.databaseInUse(reason: "the process \(node.name) is working on the database") }
    }

    private static func enrol(_ context: RunContext, in store: Store) throws {
        try store.batch(at: SystemClock().now) { tx in
            try tx.services.save("tools", role: .worker, secret: context.secrets.tools)
            try tx.services.save("console", role: .console, secret: context.secrets.console)
            guard let demo = context.demo else { return }
            try Import.product(DemoDocuments.product(demo), in: tx)
            try Import.app(DemoDocuments.app(demo), in: tx)
        }
    }

    private static func environment(
        _ context: RunContext,
        _ store: Store,
        among membership: Membership?
    ) throws -> Environment {
        let plan = membership == nil ? LanePlan.alone : .shared
        let readiness = context.readiness
        var environment = Environment(
            store: store,
            topics: Topics(root: context.settings.root),
            limits: Limits(context.settings),
            wakeups: try WorkerWakeups(context.settings.workers, plan),
            health: Health(
                ready: { readiness.isReady("worker " + $0) },
                notReady: { readiness.isWaiting("worker " + $0, for: $1) }
            ),
            regions: Regions(
                served: context.settings.regionsServed,
                countries: context.settings.regionsOfCountries,
                endpoints: context.settings.regionEndpoints
            ),
            publicURL: context.publicURL
        )
        environment.plan = plan
        environment.brokerPlace = context.brokerPlace
        environment.outbound = try OutboundRule(privateTargets: context.settings.privateTargets)
        environment.pushes = PushSender(environment.outbound)
        environment.leadership = Leadership(among: membership)
        environment.health.diskIsLow = { reason in
            guard let reason else { return readiness.isReady("disk") }
            readiness.isWaiting("disk", for: reason)
        }
        environment.disk = DiskGuard(
            path: store.isFile ? store.path : context.directory.path,
            context.settings.diskReserve,
            stops: context.ownsBroker || context.settings.database?.isLocal ?? true
        )
        environment.messageOutcomes = MessageOutcomes(logger: Logger(label: "lamplighter.delivery"))
        return environment
    }
}

/// The parts of a run that exist before the store is opened.
package struct RunContext: Sendable {
    /// The settings of the run.
    package let settings: Settings
    /// The data directory, which this process has locked.
    package let directory: DataDirectory
    /// The passwords of the workers and the tools.
    package let secrets: ServiceSecrets
    /// The keys of the demo; nil if there is no demo.
    package let demo: DemoKeys?
    /// Whether the broker is a child of this process.
    package let ownsBroker: Bool
    /// The ports of the service's listeners.
    ///
    /// If the service was started with `serve`, the MQTT port is the port of the operator's broker.
    package let ports: ListenerPorts
    /// The server's certificate; nil if there are no listeners with TLS.
    package let tls: TLSMaterial?
    /// The readiness of the service's parts.
    package let readiness: Readiness
    /// The queue of refusals: this process's listeners add refusals, and the broker's monitor publishes them.
    let listenerRefusals = ListenerRefusals()
    /// The metrics of this process.
    package let metrics: PrometheusRegistry
    /// The logger.
    package let logger: Logger

    /// The function that a listener of this process calls to report a refusal.
    package var refused: ListenerRefusal.Teller {
        { [listenerRefusals] in listenerRefusals.note($0, at: SystemClock().now) }
    }

    /// Whether this process is one of several that share a database and a broker.
    var sharesWork: Bool { settings.database != nil && !ownsBroker }

    /// The broker's host and MQTT port (with TLS if possible) for devices and apps.
    ///
    /// Clients on other machines must connect to a name that is in the certificate.
    var brokerPlace: HomeAssistantCodec.Place {
        let local = ["0.0.0.0", "::"].contains(settings.mqttHost) ? "127.0.0.1" : settings.mqttHost
        guard let port = ports.mqttTLS else { return (local, ports.mqtt, hasTLS: false) }
        return (tls?.certificate.names.first ?? local, port, hasTLS: true)
    }

    /// The listeners without TLS that other machines can reach.
    var openListeners: [OpenListener] {
        OpenListener.all(settings, ports, ownsBroker: ownsBroker)
    }

    /// Whether the URL of the service's pages can be opened only on this machine.
    var isPublicURLLocal: Bool {
        guard let url = settings.publicURL else { return true }
        let host = url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        return ["localhost", "127.0.0.1", "[::1]"].contains { name in host == name || host.hasPrefix(name + ":") }
    }

    /// The public URL of the service's pages, without a slash at the end.
    package var publicURL: String {
        var url = settings.publicURL ?? Banner.url("http", settings.httpHost, port: ports.http)
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}
