import Domain
import Glibc
import Logging
import Providers
import ServiceLifecycle
import Storage
import Web
import Workers

/// A service that runs a worker's thread once the gate is found, and drains it at shutdown.
struct WorkerService: Service {
    let worker: WorkerThread
    /// The readiness that shows whether the gate was found; nil for a worker that takes nothing
    /// from clients.
    var readiness: Readiness?

    func run() async throws {
        if let readiness {
            await cancelWhenGracefulShutdown { await readiness.wait(for: BrokerMonitor.gatePart) }
            guard readiness.accepts(BrokerMonitor.gatePart) else { return }
        }
        await withTaskCancellationOrGracefulShutdownHandler {
            await worker.run()
        } onCancelOrGracefulShutdown: {
            worker.stop()
        }
    }
}

/// A service that runs maintenance jobs; at shutdown, they end after their current step.
struct MaintenanceService: Service {
    let thread: MaintenanceThread

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await thread.run()
        } onCancelOrGracefulShutdown: {
            thread.stop()
        }
    }
}

/// A service that makes the pools of slow work, and ends them after the workers.
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
    /// Creates the regions that settings name: `86=cn,1=us` and `cn=mqtts://…`.
    init(served: String, countries: String, endpoints: String) {
        let names = Self.items(served)
        self.init(
            served: names.isEmpty ? ["default"] : names,
            byCountry: Self.pairs(countries),
            endpoints: Self.pairs(endpoints)
        )
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

/// A service that runs the sender of mails and texts.
struct MessageSenderService: Service {
    let sender: MessageSender

    func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            await sender.run()
        } onCancelOrGracefulShutdown: {
            sender.stop()
        }
    }
}
