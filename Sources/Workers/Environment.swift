package import Domain
import Glibc
package import Mosquitto
package import Storage
import Synchronization
package import Wire

/// The dependencies of a worker, assembled once by the composition root.
package struct Environment: Sendable {
    /// The store.
    package var store: Store
    /// The topics.
    package var topics: Topics
    /// The bounds.
    package var limits: Limits
    /// The clock.
    package var clock: any WallClock
    /// The workers of this process, and how to wake them.
    package var wakeups: WorkerWakeups
    /// The state of readiness.
    package var health: Health
    /// The regions that this installation serves.
    package var regions: Regions
    /// The address of the service's pages, without a slash at the end.
    package var publicURL: String
    /// The pool for slow work.
    package var pool: any BackgroundPool
    /// The state of sending e-mails and texts.
    package var messageOutcomes = MessageOutcomes()
    /// The counts known to be used up.
    package var quotas = QuotaFront()
    /// The metrics of requests, commands and reports.
    package let observations = ObservationMetrics()
    /// The log lines about refused and dead messages.
    package let refusalLog: BoundedLog
    /// When it was told that the broker is away.
    package let brokerAbsence = BrokerAbsence()
    /// Whether there is room on the disk.
    package var disk = DiskGuard.none

    /// Puts an environment together.
    package init(
        store: Store,
        topics: Topics,
        limits: Limits,
        clock: any WallClock = SystemClock(),
        wakeups: WorkerWakeups,
        health: Health,
        regions: Regions = Regions(),
        publicURL: String = "http://127.0.0.1:8080",
        pool: any BackgroundPool = NoPool()
    ) {
        self.store = store
        self.topics = topics
        self.limits = limits
        refusalLog = BoundedLog(linesPerSecond: limits.refusalLines)
        self.clock = clock
        self.wakeups = wakeups
        self.health = health
        self.regions = regions
        self.publicURL = publicURL
        self.pool = pool
    }
}

/// A source of time; a seam, so that tests set the time.
package protocol WallClock: Sendable {
    /// The present moment.
    var now: Instant { get }
    /// The present moment of a clock that is never set.
    var steady: ContinuousClock.Instant { get }
}

/// The machine's clock.
package struct SystemClock: WallClock {
    /// The machine's clock.
    package init() {}

    package var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package var steady: ContinuousClock.Instant { .now }
}

/// The workers of this process, which can call each other.
package struct WorkerWakeups: Sendable {
    private let wakeups: [WorkerName: Wakeup]

    private final class Wakeup: Sendable {
        let waker: Waker
        let isPending = Atomic<Bool>(false)
        init() throws { waker = try Waker() }
    }

    /// Makes a wakeup for each worker.
    package init(_ names: some Sequence<WorkerName>) throws {
        var wakeups: [WorkerName: Wakeup] = [:]
        for name in names { wakeups[name] = try Wakeup() }
        self.wakeups = wakeups
    }

    /// Returns the waker of a worker; nil for one of another process.
    package func waker(of name: WorkerName) -> Waker? { wakeups[name]?.waker }

    /// Calls a worker to look into the store; one of another process looks by itself within half a
    /// second.
    package func wake(_ name: WorkerName) {
        guard let wakeup = wakeups[name] else { return }
        wakeup.isPending.store(true, ordering: .releasing)
        wakeup.waker.wake()
    }

    /// Whether a worker was called; keeps the call.
    func isCalled(_ name: WorkerName) -> Bool {
        wakeups[name]?.isPending.load(ordering: .acquiring) ?? false
    }

    /// Whether a worker was called since the last time; clears the call.
    func takeWakeup(of name: WorkerName) -> Bool {
        wakeups[name]?.isPending.exchange(false, ordering: .acquiring) ?? false
    }
}
