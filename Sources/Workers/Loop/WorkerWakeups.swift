package import Domain
package import Mosquitto
import Synchronization

/// The wakeups of this process's lanes, and the calls of other processes' lanes.
package final class WorkerWakeups: Sendable {
    private let plan: LanePlan
    private let wakeups: [Lane: Wakeup]
    private let others = Mutex(Others())

    private final class Wakeup: Sendable {
        let waker: Waker
        let isPending = Atomic<Bool>(false)
        init() throws { waker = try Waker() }
    }

    /// The lanes that run here and the function that calls the others, if several processes share the work.
    private struct Others: Sendable {
        var here: Set<Lane> = []
        var call: (@Sendable (Lane) -> Void)?
    }

    /// Makes a wakeup for each lane of some workers.
    package init(_ names: some Sequence<WorkerName>, _ plan: LanePlan = .alone) throws {
        self.plan = plan
        var wakeups: [Lane: Wakeup] = [:]
        for lane in names.flatMap(plan.lanes(of:)) { wakeups[lane] = try Wakeup() }
        self.wakeups = wakeups
    }

    /// Returns the waker of a lane; nil if its worker never runs here.
    package func waker(of lane: Lane) -> Waker? { wakeups[lane]?.waker }

    /// Calls all lanes of a worker to check the store; a lane that can't be called from here checks it a little later.
    package func wake(_ name: WorkerName) { for lane in plan.lanes(of: name) { wake(lane) } }

    /// Calls the lane of a worker that handles an id's messages.
    func wake(_ name: WorkerName, of id: String) { wake(plan.lane(of: name, for: id)) }

    /// Calls a lane.
    func wake(_ lane: Lane) {
        if plan.isShared {
            let call = others.withLock { $0.here.contains(lane) ? nil : $0.call }
            if let call { return call(lane) }
        }
        callHere(lane)
    }

    /// Calls a lane of this process.
    func callHere(_ lane: Lane) {
        guard let wakeup = wakeups[lane] else { return }
        wakeup.isPending.store(true, ordering: .releasing)
        wakeup.waker.wake()
    }

    /// Sets the lanes that run here.
    func runs(_ lanes: Set<Lane>) { others.withLock { $0.here = lanes } }

    /// Sets the function that calls the lanes of other processes after a commit; it must not block.
    func onRemote(_ call: @escaping @Sendable (Lane) -> Void) {
        others.withLock { $0.call = call }
    }

    /// Whether a lane was called; keeps the call.
    func isCalled(_ lane: Lane) -> Bool { wakeups[lane]?.isPending.load(ordering: .acquiring) ?? false }

    /// Whether a lane was called since the last time; clears the call.
    func takeWakeup(of lane: Lane) -> Bool { wakeups[lane]?.isPending.exchange(false, ordering: .acquiring) ?? false }
}
