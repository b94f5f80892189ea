package import Domain
import Glibc
package import Mosquitto
package import Storage
import Synchronization
package import Wire

/// All that a worker needs from outside, put together once by the composition root.
package struct Environment: Sendable {
    /// The store.
    package var store: Store
    /// The topics.
    package var topics: Topics
    /// The bounds.
    package var limits: Limits
    /// The clock.
    package var clock: any WallClock
    /// Which workers run here, and how to wake them.
    package var neighbours: Neighbours
    /// What is told to those who ask whether the service is ready.
    package var health: Health
    /// The regions that this installation serves.
    package var regions: Regions
    /// Where users reach the service's pages, without a slash at the end.
    package var publicURL: String
    /// What does slow work.
    package var pool: any SlowPool
    /// What is known of how messages leave the house.
    package var deliveryDesk = DeliveryDesk()
    /// What is known of counts that are used up.
    package var quotas = QuotaFront()
    /// Whether there is room on the disk.
    package var disk = DiskGuard.none

    /// Puts an environment together.
    package init(
        store: Store,
        topics: Topics,
        limits: Limits,
        clock: any WallClock = SystemClock(),
        neighbours: Neighbours,
        health: Health,
        regions: Regions = Regions(),
        publicURL: String = "http://127.0.0.1:8080",
        pool: any SlowPool = NoPool()
    ) {
        self.store = store
        self.topics = topics
        self.limits = limits
        self.clock = clock
        self.neighbours = neighbours
        self.health = health
        self.regions = regions
        self.publicURL = publicURL
        self.pool = pool
    }
}

/// Tells the time; a seam, so that tests decide what time it is.
package protocol WallClock: Sendable {
    /// The present moment.
    var now: Instant { get }
    /// Milliseconds from some moment on, by a clock that nobody sets.
    var steadyMilliseconds: Int64 { get }
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

    package var steadyMilliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The workers of this process, and how one calls another.
package struct Neighbours: Sendable {
    private let bells: [WorkerName: Bell]

    private final class Bell: Sendable {
        let waker: Waker
        let isRung = Atomic<Bool>(false)
        init() throws { waker = try Waker() }
    }

    /// Makes a bell for each worker.
    package init(_ names: some Sequence<WorkerName>) throws {
        var bells: [WorkerName: Bell] = [:]
        for name in names { bells[name] = try Bell() }
        self.bells = bells
    }

    /// What ends a worker's wait; nil for one that runs elsewhere.
    package func waker(of name: WorkerName) -> Waker? { bells[name]?.waker }

    /// Calls a worker, for whom something was left in the store; one that runs elsewhere looks by
    /// itself before long.
    package func wake(_ name: WorkerName) {
        guard let bell = bells[name] else { return }
        bell.isRung.store(true, ordering: .releasing)
        bell.waker.wake()
    }

    /// Tells whether a worker was called, and leaves the call standing.
    func isCalled(_ name: WorkerName) -> Bool {
        bells[name]?.isRung.load(ordering: .acquiring) ?? false
    }

    /// Tells whether a worker was called since the last time.
    func takeCall(of name: WorkerName) -> Bool {
        bells[name]?.isRung.exchange(false, ordering: .acquiring) ?? false
    }
}
