package import Domain
package import Logging
package import Mosquitto
import Synchronization

/// A cluster member, which runs this process's share of the lanes.
///
/// A member takes lanes that no process holds, and gives back lanes beyond its share. When a member stops, it hands
/// over all lanes. Its thread renews the process's lifetime, and listens to the other processes over a separate
/// connection.
package final class ClusterMember: Sendable {
    let membership: Membership
    let environment: Environment
    let workers: [WorkerName]
    let options: ConnectionOptions
    let proof: BrokerProof?
    let logger: Logger
    let metrics: ClusterMetrics
    let waker: Waker
    private let isStopping = Atomic<Bool>(false)
    private let toWake = Mutex<Set<Lane>>([])
    /// The callback to call if this process can't continue because another process has taken its slot.
    private let lostSlot: @Sendable () -> Void

    /// Prepares a member; `options` contain the broker's address and the password.
    package init(
        _ membership: Membership,
        environment: Environment,
        workers: [WorkerName],
        options: ConnectionOptions,
        proof: BrokerProof?,
        logger: Logger,
        lostSlot: @escaping @Sendable () -> Void
    ) throws {
        self.membership = membership
        self.environment = environment
        self.workers = workers
        self.options = options
        self.proof = proof
        self.logger = logger
        self.lostSlot = lostSlot
        metrics = ClusterMetrics()
        waker = try Waker()
    }

    /// Runs until `stop` is called, and returns when all lanes have been handed over.
    package func run() async {
        environment.wakeups.onRemote { [weak self] in self?.wakeElsewhere($0) }
        await PlainThread.run {
            var turns = ClusterTurns(self)
            turns.run()
        }
    }

    /// Asks the member to hand over its lanes and to return from `run`.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        waker.wake()
    }

    var mustStop: Bool { isStopping.load(ordering: .acquiring) }

    /// Calls the callback that handles the loss of the slot.
    func giveUp() { lostSlot() }

    private func wakeElsewhere(_ lane: Lane) {
        toWake.withLock { _ = $0.insert(lane) }
        waker.wake()
    }

    /// Returns the lanes that must be woken in other processes, and empties the list of these lanes.
    func takeWakeups() -> Set<Lane> { toWake.withLock { exchange(&$0, with: []) } }
}
