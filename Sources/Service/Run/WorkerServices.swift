import Domain
import Glibc
import Logging
import Providers
import ServiceLifecycle
import Storage
import UnixSignals
import Web
import Workers

/// Work that runs on separate threads, and that ends after the current step when it is stopped.
protocol StoppableWork: Sendable {
    /// Works until `stop` is called.
    func run() async
    /// Makes `run` return; any thread can call this method.
    func stop()
}

extension WorkerThread: StoppableWork {}
extension MaintenanceThread: StoppableWork {}
extension MessageSender: StoppableWork {}
extension WebhookSender: StoppableWork {}
extension HomeAssistantAnnouncer: StoppableWork {}
extension Notifier: StoppableWork {}
extension ClusterMember: StoppableWork {}

extension StoppableWork {
    /// Works until the service group shuts down.
    func runUntilShutdown() async {
        await withTaskCancellationOrGracefulShutdownHandler {
            await run()
        } onCancelOrGracefulShutdown: {
            stop()
        }
    }
}

/// A service that works until the service group shuts down.
struct WorkService: Service {
    let work: any StoppableWork
    /// The readiness that says whether the broker's gate was found; the work starts only once the gate was found.
    ///
    /// The value is nil if the work handles no messages of clients. Such work starts at once.
    let readiness: Readiness?

    init(_ work: any StoppableWork, after readiness: Readiness? = nil) {
        self.work = work
        self.readiness = readiness
    }

    func run() async throws {
        if let readiness {
            await cancelWhenGracefulShutdown { await readiness.wait(for: BrokerMonitor.gatePart) }
            guard readiness.accepts(BrokerMonitor.gatePart) else { return }
        }
        await work.runUntilShutdown()
    }
}

extension ServiceGroup {
    /// Runs a command's services until SIGINT or SIGTERM, without the group's info messages.
    static func runUntilSignal(_ services: [any Service], logger: Logger) async throws {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, .warning)
        try await ServiceGroup(services: services, gracefulShutdownSignals: [.sigint, .sigterm], logger: quiet).run()
    }
}

/// A service that owns the thread pools for slow work, and that keeps the pools until the workers have stopped.
struct BackgroundService: Service {
    let pools: Pools

    init(_ limits: Limits, _ store: Store) throws {
        let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        pools = Pools(
            passwords: try PasswordPool(
                PasswordHasher(),
                threads: limits.hashThreads > 0 ? limits.hashThreads : max(1, processors / 2),
                bounds: PoolBounds(
                    waiting: limits.hashQueue,
                    bytes: limits.backgroundQueueBytes,
                    perSender: limits.counts.hashesAtOnce,
                    perAddress: limits.counts.hashesAtOncePerSource
                )
            ),
            providers: ProviderPool(
                IdentityProviders(logger: Logger(label: "lamplighter.providers")),
                perProvider: limits.providerCalls,
                bounds: PoolBounds(
                    waiting: limits.providerCallsMax,
                    perSender: limits.counts.providerCallsAtOnce,
                    perAddress: limits.counts.providerCallsAtOncePerSource
                )
            ),
            readers: ReadingPool(store, limits)
        )
    }

    func run() async throws {
        try? await gracefulShutdown()
        pools.passwords.close()
        pools.readers.close()
        await pools.providers.shutdown()
    }
}

extension Regions {
    /// Creates the regions from settings such as `86=cn,1=us` for countries and `cn=mqtts://…` for endpoints.
    init(served: String, countries: String, endpoints: String) {
        let (names, countries) = (Self.items(served), Self.pairs(countries))
        self.init(served: names.isEmpty ? ["default"] : names, byCountry: countries, endpoints: Self.pairs(endpoints))
    }

    private static func items(_ text: String) -> [String] {
        text.split(separator: ",").map { item in
            String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func pairs(_ text: String) -> [String: String] {
        let pairs = items(text).compactMap { item -> (String, String)? in
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        return Dictionary(pairs) { $1 }
    }
}
