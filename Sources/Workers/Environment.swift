package import Batching
package import Domain
import Glibc
package import Storage
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
    package var pool: any BackgroundPool = NoPool()
    /// The state of sending e-mails and texts.
    package var messageOutcomes = MessageOutcomes()
    /// The counts known to be used up.
    package var quotas = QuotaFront()
    /// How much terminals were sent lately.
    package let answers: AnswerBudget
    /// Ends sessions at the broker that the gate names; where nobody does, they stay.
    package var endOwed: @Sendable ([String]) -> Void = { _ in }
    /// The metrics of requests, commands and reports.
    package let observations = ObservationMetrics()
    /// The log lines about refused and dead messages.
    package let refusalLog: BoundedLog
    /// When it was told that the broker is away.
    package let brokerAbsence = BrokerAbsence()
    /// How the clock was set while this process runs.
    package let clockHistory = ClockHistory()
    /// Whether this process is about to end.
    package let ending = Ending()
    /// Whether there is room on the disk.
    package var disk = DiskGuard.none
    /// Into how many lanes the work is divided.
    package var plan = LanePlan.alone
    /// The shards of the lane that this is for.
    package var shards = Shards.all
    /// Whether this process does what only one of several does.
    package var leadership = Leadership()

    /// Puts an environment together.
    package init(
        store: Store,
        topics: Topics,
        limits: Limits,
        clock: any WallClock = SystemClock(),
        wakeups: WorkerWakeups,
        health: Health,
        regions: Regions = Regions(),
        publicURL: String = "http://127.0.0.1:8080"
    ) {
        self.store = store
        self.topics = topics
        self.limits = limits
        answers = AnswerBudget(bytesPerSecond: limits.answerBytesPerSecond)
        refusalLog = BoundedLog(linesPerSecond: limits.refusalLines)
        self.clock = clock
        self.wakeups = wakeups
        self.health = health
        self.regions = regions
        self.publicURL = publicURL
    }
}

extension Environment {
    /// The lane of a worker that this is for.
    package func lane(of worker: WorkerName) -> Lane { Lane(worker, shards) }

    /// The shards to subscribe to; nil where the work isn't divided.
    var divided: Shards? { plan.isShared ? shards : nil }

    /// Returns the same for one lane: its transactions check the lease first.
    func taking(_ lease: LaneLease) -> Environment {
        var environment = self
        environment.shards = lease.lane.shards
        environment.store = store.guarded(by: lease.fence)
        environment.limits.outlets = limits.laneOutlets
        return environment
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
