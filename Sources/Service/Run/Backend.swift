import Domain
import JSON
package import Logging
import Mosquitto
package import ServiceLifecycle
import Storage
package import Web
import Wire
import Workers

/// The store and the workers of one process, ready to be run.
///
/// The one place where the composition meets what is below it.
package struct Backend {
    /// One line about the store for the banner.
    package let summary: String
    /// The services to run: the workers, and the sweeper.
    package let services: [any Service]
    /// The functions of the pages behind links.
    package let pages: Pages

    /// Opens the store, notes the demo and the tools' principal, and makes the workers.
    ///
    /// - Throws: A `Problem` where the store cannot be used.
    package static func open(_ context: RunContext) throws -> Backend {
        let store = try StoreAccess.service(context.directory)
        try enrol(context, in: store)
        context.readiness.isReady("store")
        var environment = try environment(context, store)
        let slow = try BackgroundService(environment.limits, store)
        environment.pool = slow.pools
        let logger = Logger(label: "lamplighter.worker")
        let names = names(context)
        if !names.contains(.session) {
            logger.notice(
                """
                No session worker runs here. Have another process run it: it answers requests whose \
                worker is away, and cuts off sessions that ended.
                """
            )
        }
        let workers = try names.map { name in
            WorkerService(
                worker: try WorkerThread(
                    name,
                    options: try BrokerAccess.workers(context),
                    environment: environment,
                    logger: logger
                )
            )
        }
        return Backend(
            summary: "SQLite, WAL, synchronous FULL",
            services: [
                slow,
                try BrokerMonitor(BrokerAccess.workers(context), environment),
                UpkeepService(thread: UpkeepThread(environment, logger: logger)),
                SweeperService(sweeper: Sweeper(environment, logger: logger)),
            ] + (try messageSender(context, environment)) + workers,
            pages: pages(
                LinkService(environment),
                context.publicURL,
                context.settings.limit("pageVisits")
            )
        )
    }

    /// Joins the pages to what they are about.
    private static func pages(_ links: LinkService, _ publicURL: String, _ visits: Int) -> Pages {
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

    /// Returns the sender of e-mails and texts, where the session worker runs that publishes for it.
    private static func messageSender(
        _ context: RunContext,
        _ environment: Environment
    ) throws -> [any Service] {
        guard names(context).contains(.session) else { return [] }
        let service = MessageSender(
            environment,
            routes: try MessageRoutes.make(context),
            logger: Logger(label: "lamplighter.delivery")
        )
        return [MessageSenderTask(sender: service)]
    }

    private static func names(_ context: RunContext) -> [WorkerName] {
        context.settings.workers.compactMap(WorkerName.init(rawValue:))
    }

    /// Stores the principals that may connect without being imported.
    private static func enrol(_ context: RunContext, in store: Store) throws {
        try store.batch(at: SystemClock().now) { tx in
            try tx.services.save("tools", role: .worker, secret: context.secrets.tools)
            guard let demo = context.demo else { return }
            try Import.product(DemoDocuments.product(demo), in: tx)
            try Import.app(DemoDocuments.app(demo), in: tx)
        }
    }

    private static func environment(
        _ context: RunContext,
        _ store: Store
    ) throws -> Environment {
        let readiness = context.readiness
        var environment = Environment(
            store: store,
            topics: Topics(root: context.settings.root),
            limits: Limits(context.settings),
            wakeups: try WorkerWakeups(names(context)),
            health: Health(
                ready: { readiness.isReady("worker " + $0) },
                notReady: { readiness.isWaiting("worker " + $0, for: $1) }
            ),
            regions: Regions(
                served: context.settings.text("regions.served"),
                countries: context.settings.text("regions.countries"),
                endpoints: context.settings.text("regions.endpoints")
            ),
            publicURL: context.publicURL
        )
        environment.health.diskIsLow = { reason in
            guard let reason else { return readiness.isReady("disk") }
            readiness.isWaiting("disk", for: reason)
        }
        environment.disk = DiskGuard(
            path: store.path,
            context.settings.diskReserve
        )
        environment.messageOutcomes = MessageOutcomes(logger: Logger(label: "lamplighter.delivery"))
        return environment
    }
}

/// The context of the composition when the store is opened.
package struct RunContext: Sendable {
    /// The settings in force.
    package let settings: Settings
    /// The data directory, locked by this process.
    package let directory: DataDirectory
    /// The passwords of the workers and the tools.
    package let secrets: ServiceSecrets
    /// The demo's keys; nil without a demo.
    package let demo: DemoKeys?
    /// Whether the broker is this process's own child.
    package let ownsBroker: Bool
    /// Port of the broker.
    package let mqttPort: Int
    /// Port of the pages.
    package let httpPort: Int
    /// Port of health and metrics.
    package let healthPort: Int
    /// Which parts accept work.
    package let readiness: Readiness
    /// The metrics of this process.
    package let metrics: PrometheusRegistry
    /// The logger.
    package let logger: Logger

    /// The public URL of the service's pages, without a slash at the end.
    package var publicURL: String {
        var url = settings.publicURL ?? Banner.url("http", settings.httpHost, httpPort)
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}

/// Runs a worker's thread as a service, and drains it when the service shuts down.
struct WorkerService: Service {
    let worker: WorkerThread

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await worker.run()
        } onCancelOrGracefulShutdown: {
            worker.stop()
        }
    }
}

/// Runs the upkeep of the store as a service.
struct UpkeepService: Service {
    let thread: UpkeepThread

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await thread.run()
        } onCancelOrGracefulShutdown: {
            thread.stop()
        }
    }
}

/// Runs the sweeper as a service.
struct SweeperService: Service {
    let sweeper: Sweeper

    func run() async throws {
        await cancelWhenGracefulShutdown { try? await sweeper.run() }
    }
}

extension Settings {
    /// The part of the data directory's disk to leave free.
    var diskReserve: DiskGuard.Reserve {
        .init(
            percent: limit("diskFreePercent"),
            bytesMax: Int64(limit("diskFreeMegabytes")) << 20
        )
    }
}

extension Limits {
    /// The bounds that settings say.
    package init(_ settings: Settings) {
        self.init()
        batchMax = settings.limit("batch")
        batchLinger = .milliseconds(settings.limit("linger"))
        receiveMaximum = UInt16(clamping: settings.limit("receiveWindow"))
        outlets = settings.limit("publishConnections")
        outboxRows = settings.limit("outboxRows")
        outboxBytes = settings.limit("outboxMegabytes") << 20
        intakeMax = settings.limit("intakeMessages")
        intakeBytes = settings.limit("intakeMegabytes") << 20
        turnMax = .milliseconds(settings.limit("turn"))
        lateAfter = .seconds(settings.limit("unanswered"))
        deadLettersMax = settings.limit("deadLetters")
        refusalsMax = settings.limit("refusals")
        refusalSeconds = Int64(settings.limit("refusalDays")) * 86_400
        inboxSeconds = Int64(settings.limit("inboxDays")) * 86_400
        requestSeconds = Int64(settings.limit("requestWindow"))
        historyDays = settings.limit("historyDays")
        historyBytesPerDay = Int64(settings.limit("historyMegabytesPerDay")) << 20
        queuedPerDevice = settings.limit("queuedCommands")
        sessionSeconds = Int64(settings.limit("sessionDays")) * 86_400
        invitationSeconds = Int64(settings.limit("invitationLife"))
        invitationCodeSeconds = Int64(settings.limit("invitationCodeLife"))
        invitationsPerHour = settings.limit("invitationsPerHour")
        endedInvitationSeconds = Int64(settings.limit("invitationDays")) * 86_400
        homesPerUser = settings.limit("homesPerUser")
        auditDays = settings.limit("auditDays")
        hashThreads = settings.limit("hashThreads")
        hashQueue = settings.limit("hashQueue")
        backgroundQueueBytes = settings.limit("slowQueueBytes")
        waitingBytes = settings.limit("waitingBytes")
        counts = CountLimits(settings)
        codesPerHour = settings.limit("codesPerHour")
        codesPerCountry = settings.limit("codesPerCountry")
        anonymousPerHour = settings.limit("anonymousPerHour")
        triggerLateSeconds = Int64(settings.limit("triggerLate"))
        triggerSettleSeconds = Int64(settings.limit("triggerSettle"))
        scheduleRunSeconds = Int64(settings.limit("scheduleRunDays")) * 86_400
        terminalsPerHour = settings.limit("terminalsPerHour")
        messageBackoff = Int64(settings.limit("deliveryBackoff"))
        // No message is claimed while another try of it may still be under way.
        messageLease = max(messageLease, Int64(settings.smtpTimeout) * 2 + 30)
    }
}
