import Domain
import Logging
import Mosquitto
import Storage
import Synchronization

/// The lanes that this process holds, each with its thread.
struct HeldLanes {
    private struct Held {
        var lease: LaneLease
        var thread: WorkerThread
        var end: End
        var isStopping = false
        /// Whether the lane was given back before its thread ended.
        var isReleased = false
    }

    /// A flag that is set when a lane's thread has ended.
    private final class End: Sendable {
        let isReached = Atomic<Bool>(false)
    }

    private let member: ClusterMember
    private var held: [Lane: Held] = [:]

    init(_ member: ClusterMember) { self.member = member }

    /// True if this process has no lanes, not even lanes that are about to end.
    var isEmpty: Bool { held.isEmpty }

    /// Asks the threads of all lanes to finish their work and end.
    mutating func stopAll() {
        for lane in held.keys { stop(lane) }
    }

    /// Ends the work of all lanes immediately, because the broker can't be reached.
    mutating func abandonAll() {
        for lane in held.values { lane.thread.abandon() }
        stopAll()
    }

    private mutating func stop(_ lane: Lane) {
        guard held[lane]?.isStopping == false else { return }
        held[lane]?.isStopping = true
        held[lane]?.thread.stop()
        noteLanes()
    }

    /// Gives back lanes whose threads have ended, and returns whether there were any.
    ///
    /// If `isLate` is true, gives back all lanes. Another process can take a lane with a running thread only between
    /// the thread's transactions. Once another process has taken the lane, the thread can't commit.
    mutating func releaseEnded(orAll isLate: Bool = false) -> Bool {
        let ended = held.values.filter { $0.end.isReached.load(ordering: .acquiring) }
        let leases = (isLate ? Array(held.values) : ended).filter { !$0.isReleased }.map(\.lease)
        guard !ended.isEmpty || !leases.isEmpty else { return false }
        do {
            try release(leases)
            for lease in leases { held[lease.lane]?.isReleased = true }
        } catch {
            // The lane still belongs to this process while this process counts as alive. A later `balance` starts the
            // lane again.
            member.logger.warning("A lane could not be given back", because: error)
        }
        for lane in ended { held[lane.lease.lane] = nil }
        noteLanes()
        return !leases.isEmpty
    }

    private func release(_ leases: [LaneLease]) throws {
        guard !leases.isEmpty else { return }
        try member.environment.store.coordinate { cluster in
            for fence in leases.map(\.fence) {
                try cluster.leases.release(fence.worker, lane: fence.lane, epoch: fence.epoch)
            }
        }
    }

    /// Takes lanes or gives lanes back, so that all processes have about the same number of lanes.
    ///
    /// If `takesForeign` is false, the process takes only lanes that were given back.
    mutating func balance(takesForeign: Bool) throws {
        let id = member.membership.id
        let (leases, living) = try member.environment.store.coordinate { cluster in
            (try cluster.leases.all(), try cluster.nodes.living())
        }
        let isDraining = living.first { $0.id == id }?.isDraining ?? false
        let others = living.filter { $0.id != id && !$0.isDraining }.map(\.id)
        if takesForeign, leases.contains(where: { !$0.isHeld && $0.node != nil }) {
            try member.environment.store.coordinate { try $0.leases.endSessionsOfSilent() }
        }
        for worker in member.workers {
            let all = leases.filter { $0.worker == worker.rawValue }
            dropLost(worker, all)
            let free = all.filter { !$0.isHeld && (takesForeign || $0.node == nil) }.count
            let own = held.values.filter { $0.lease.lane.worker == worker }
            let shares = LaneShares(
                total: all.count,
                free: free,
                own: own.count { !$0.isStopping },
                others: others.map { other in all.count { $0.node == other } },
                isDraining: isDraining
            )
            let step = shares.step
            // A process that must hand over its lanes gives back all of them at the same time. Otherwise, a process
            // gives back one lane after the other.
            if step.give > 0, isDraining || !own.contains(where: \.isStopping) {
                let surplus = own.map(\.lease.lane).sorted { $0.number > $1.number }
                for lane in surplus.prefix(step.give) { stop(lane) }
            }
            if step.take > 0 { try take(worker, step.take) }
            try resume(worker, all)
        }
        member.metrics.lives(others.count + 1)
    }

    /// Ends the threads of lanes that another process has taken.
    private mutating func dropLost(_ worker: WorkerName, _ leases: [LeaseTable.Lease]) {
        for lane in held.values where lane.lease.lane.worker == worker {
            let lease = leases.first { $0.lane == lane.lease.lane.number }
            guard lease?.epoch != lane.lease.fence.epoch else { continue }
            member.metrics.lost()
            stop(lane.lease.lane)
        }
    }

    private mutating func take(_ worker: WorkerName, _ count: Int) throws {
        let taken = try member.environment.store.coordinate {
            try $0.leases.take(worker.rawValue, limit: count, for: member.membership.id)
        }
        for (number, epoch) in taken {
            let lane = member.environment.plan.lane(of: worker, number: number)
            member.logger.info("A lane was taken", metadata: ["lane": "\(lane)", "epoch": "\(epoch)"])
            member.metrics.taken()
            try start(lane, epoch: epoch)
        }
    }

    /// Starts threads for lanes that this process holds without a thread, for example after a failed release.
    private mutating func resume(_ worker: WorkerName, _ leases: [LeaseTable.Lease]) throws {
        for lease in leases where lease.node == member.membership.id && lease.isHeld {
            let lane = member.environment.plan.lane(of: worker, number: lease.lane)
            if held[lane] == nil { try start(lane, epoch: lease.epoch) }
        }
    }

    private mutating func start(_ lane: Lane, epoch: Int64) throws {
        guard held[lane] == nil else { return }
        let fence = Fence(worker: lane.worker.rawValue, lane: lane.number, epoch: epoch)
        let lease = LaneLease(lane: lane, fence: fence, membership: member.membership)
        let end = End()
        let thread = try WorkerThread(
            lease,
            options: member.options,
            proof: member.proof,
            environment: member.environment,
            logger: member.logger
        )
        held[lane] = Held(lease: lease, thread: thread, end: end)
        noteLanes()
        thread.start { [waker = member.waker] in
            end.isReached.store(true, ordering: .releasing)
            waker.wake()
        }
    }

    private func noteLanes() {
        member.environment.wakeups.runs(Set(held.keys))
        let leads = held[Lane(.session)].map { !$0.isStopping } ?? false
        member.environment.leadership.set(leads)
        member.metrics.holds(held.keys.map(\.worker))
    }
}
