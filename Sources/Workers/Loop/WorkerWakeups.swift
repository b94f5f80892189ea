package import Domain
package import Mosquitto
import Synchronization

/// The means by which workers wake the lanes of this process and of other processes.
package final class WorkerWakeups: Sendable {
    private let plan: LanePlan
    private let wakeups: [Lane: Wakeup]
    private let others = Mutex(Others())

    private final class Wakeup: Sendable {
        let waker: Waker
        let isPending = Atomic<Bool>(false)
        init() throws { waker = try Waker() }
    }

    /// The lanes that run in this process, and the function that wakes other processes' lanes.
    private struct Others: Sendable {
        var here: Set<Lane> = []
        var call: (@Sendable (Lane) -> Void)?
    }

    /// Makes a wakeup for each lane of the given workers.
    package init(_ names: some Sequence<WorkerName>, _ plan: LanePlan = .alone) throws {
        self.plan = plan
        var wakeups: [Lane: Wakeup] = [:]
        for lane in names.flatMap(plan.lanes(of:)) { wakeups[lane] = try Wakeup() }
        self.wakeups = wakeups
    }

    /// Returns a lane's waker, or nil if the lane never runs in this process.
    package func waker(of lane: Lane) -> Waker? { wakeups[lane]?.waker }

    /// Wakes all lanes of a worker; if a wakeup is lost, the lane still checks the store within two seconds.
    package func wake(_ name: WorkerName) { for lane in plan.lanes(of: name) { wake(lane) } }

    /// Wakes the worker's lane that handles the messages of an id.
    func wake(_ name: WorkerName, of id: String) { wake(plan.lane(of: name, for: id)) }

    /// Wakes a lane of this process or of another process.
    func wake(_ lane: Lane) {
        if plan.isShared {
            let call = others.withLock { $0.here.contains(lane) ? nil : $0.call }
            if let call { return call(lane) }
        }
        callHere(lane)
    }

    /// Wakes a lane of this process.
    func callHere(_ lane: Lane) {
        guard let wakeup = wakeups[lane] else { return }
        wakeup.isPending.store(true, ordering: .releasing)
        wakeup.waker.wake()
    }

    /// Sets the lanes that run in this process.
    func runs(_ lanes: Set<Lane>) { others.withLock { $0.here = lanes } }

    /// Sets the function that wakes lanes of other processes after a commit; this function must not block.
    func onRemote(_ call: @escaping @Sendable (Lane) -> Void) {
        others.withLock { $0.call = call }
    }

    /// Returns whether a lane was woken, without clearing the wakeup.
    func isCalled(_ lane: Lane) -> Bool { wakeups[lane]?.isPending.load(ordering: .acquiring) ?? false }

    /// Returns whether a lane has been woken since the last call, and clears the wakeup.
    func takeWakeup(of lane: Lane) -> Bool { wakeups[lane]?.isPending.exchange(false, ordering: .acquiring) ?? false }
}
