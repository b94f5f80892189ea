package import Batching
package import Domain
import Glibc
package import Providers
package import Storage
package import Wire

/// The dependencies of a worker, assembled once by the composition root.
package struct Environment: Sendable {
    /// The store in which the workers read and write.
    package var store: Store
    /// The topics on which messages are published and received.
    package var topics: Topics
    /// The limits that the workers enforce.
    package var limits: Limits
    /// The clock that the workers read.
    package var clock: any WallClock
    /// The means by which workers wake each other.
    package var wakeups: WorkerWakeups
    /// The readiness of the service's parts.
    package var health: Health
    /// The regions that this installation serves.
    package var regions: Regions
    /// The URL of the service's web pages, without a slash at the end.
    package var publicURL: String
    /// The host and port at which users' programs, such as Home Assistant, reach the broker.
    package var brokerPlace: HomeAssistantCodec.Place = ("127.0.0.1", 1883, hasTLS: false)
    /// The pool for slow work.
    package var pool: any BackgroundPool = NoPool()
    /// The outcomes of sending e-mails and text messages.
    package var messageOutcomes = MessageOutcomes()
    /// The quotas that are known to be used up.
    package var quotas = QuotaFront()
    /// The readers that wait for entries of the event log.
    package let eventWatch: EventWatch
    /// The rule for the URLs that webhooks may have.
    package var outbound = OutboundRule.strict
    /// The sender of push notifications.
    package var pushes = PushSender(.strict)
    /// The budget of the bytes sent to each terminal.
    package let answers: AnswerBudget
    /// A function that ends the MQTT sessions of the clients that the gate names.
    package var endOwed: @Sendable ([String]) -> Void = { _ in }
    /// The metrics of requests, commands and reports.
    package let observations = ObservationMetrics()
    /// The log lines about refused messages and dead letters.
    package let refusalLog: BoundedLog
    /// The limit on log lines about an unreachable broker.
    package let brokerAbsence = BrokerAbsence()
    /// The record of the steps that the machine's clock has made since this process started.
    package let clockHistory = ClockHistory()
    /// The flag that shows whether this process is about to end.
    package let ending: Ending
    /// The guard of the disk's free space.
    package var disk = DiskGuard.none
    /// The number of lanes of each worker.
    package var plan = LanePlan.alone
    /// The shards of the lane that this environment serves.
    package var shards = Shards.all
    /// The leadership among the processes that share the work; some tasks are only for the leader.
    package var leadership = Leadership()

    /// Creates an environment.
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
        ending = Ending()
        self.store = store
        self.topics = topics
        self.limits = limits
        eventWatch = EventWatch(store, ending: ending)
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
    /// Returns the lane that has the given worker and this environment's shards.
    package func lane(of worker: WorkerName) -> Lane { Lane(worker, shards) }

    /// The shards to subscribe to if several lanes share the work; otherwise nil.
    var divided: Shards? { plan.isShared ? shards : nil }

    /// Returns a copy of the environment for one lane.
    ///
    /// Each transaction of the copy's store first checks the lane's lease.
    func taking(_ lease: LaneLease) -> Environment {
        var environment = self
        environment.shards = lease.lane.shards
        environment.store = store.guarded(by: lease.fence)
        environment.limits.outlets = limits.laneOutlets
        return environment
    }
}

/// A source of time, which tests can set.
package protocol WallClock: Sendable {
    /// The current time.
    var now: Instant { get }
    /// The current time of the monotonic clock.
    var steady: ContinuousClock.Instant { get }
}

/// The machine's clock.
package struct SystemClock: WallClock {
    /// Creates the machine's clock.
    package init() {}

    package var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package var steady: ContinuousClock.Instant { .now }
}
