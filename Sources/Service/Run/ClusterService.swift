import Domain
import Files
import Foundation
import Logging
import Problems
import ServiceLifecycle
import ServiceSettings
import Storage
import Synchronization
import Web
import Workers

/// A service that waits for the gate, and then runs this process's lanes.
struct ClusterService: Service {
    let member: ClusterMember
    let readiness: Readiness
    private let loss: Loss

    /// A flag that is set when another process has taken this process's slot.
    private final class Loss: Sendable {
        let hasHappened = Atomic<Bool>(false)
    }

    init(_ membership: Membership, _ context: RunContext, environment: Environment, logger: Logger) throws {
        let loss = Loss()
        self.loss = loss
        readiness = context.readiness
        member = try ClusterMember(
            membership,
            environment: environment,
            workers: context.settings.workers,
            options: try BrokerAccess.workers(context),
            proof: GateProbe.proof(environment.topics),
            logger: logger,
            lostSlot: { loss.hasHappened.store(true, ordering: .releasing) }
        )
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await readiness.wait(for: BrokerMonitor.gatePart) }
        await member.runUntilShutdown()
        if loss.hasHappened.load(ordering: .acquiring) { throw Problem.slotLost() }
        // `Backend.handOver` has already stopped this process's work. This method still waits, because the service
        // group fails if a service returns before its turn to shut down.
        try? await gracefulShutdown()
    }

    /// Takes a slot among the database's processes, and checks that all of them divide the work in the same way.
    ///
    /// This process has locked the data directory, so the process that used the directory before has ended. The slot of
    /// that process is therefore freed, even if no other process has noticed yet that it has ended.
    /// - Throws: A `Problem` if no slot is free, or if another version divides the work differently.
    static func join(_ store: Store, _ context: RunContext) throws -> Membership {
        let machine = ProcessInfo.processInfo.hostName
        let name = context.settings.processName ?? "\(machine)-\(getpid())"
        let former = TextFile.read(context.directory.process)
        let membership: Membership
        do {
            membership = try Membership.join(store, name: name, version: Version.text, inPlaceOf: former)
            try TextFile.write(membership.id, to: context.directory.process)
        } catch is Membership.NoSlot {
            throw Problem.noSlotFree()
        }
        for worker in WorkerName.allCases {
            let count = LanePlan.shared.count(of: worker)
            let found = try store.coordinate { try $0.leases.make(worker.rawValue, lanes: count) }
            guard found == count else {
                try membership.leave(store)
                throw Problem.otherLanes(worker: worker.rawValue, found: found, wanted: count)
            }
        }
        return membership
    }
}
