import Domain
import Glibc
import Logging
import Storage

/// The loop that renews the process's lifetime, and checks the broker and the leases.
struct ClusterTurns: ~Copyable {
    private let member: ClusterMember
    private var link: ProcessLink?
    private var lanes: HeldLanes
    private var nextRenewal = ContinuousClock.now
    private var nextBeat = ContinuousClock.now
    private var nextLink = ContinuousClock.now
    private var nextLook = ContinuousClock.now
    /// Until this time, this process takes only lanes that were given back.
    ///
    /// The holder of any other lane may still be alive.
    private var mayTakeFrom = ContinuousClock.now
    private var hadFailure = false
    /// Whether this process has given up its lanes because it can't reach the broker.
    private var hasGivenUp = false
    /// Since when the broker has been unreachable, or nil while it can be reached.
    private var unreachableSince: ContinuousClock.Instant? = .now

    init(_ member: ClusterMember) {
        self.member = member
        lanes = HeldLanes(member)
    }

    private var store: Store { member.environment.store }

    /// Runs until the member must stop, then hands over the lanes.
    mutating func run() {
        while !member.mustStop {
            renew()
            keepLink()
            look()
            wait()
        }
        handOver()
    }

    // MARK: Alive

    private mutating func renew() {
        guard ContinuousClock.now >= nextRenewal else { return }
        nextRenewal = .now + ClusterTiming.renewal
        // A process that can't reach the broker must not get lanes. Such a process therefore stops reporting that it is
        // alive.
        if isCutOff { return }
        do {
            guard try member.membership.renew(store) else {
                member.logger.error(
                    "Another process has taken this process's slot, because this one did not report for too long",
                    metadata: ["slot": "\(member.membership.slot)"]
                )
                return member.giveUp()
            }
            if hadFailure {
                hadFailure = false
                mayTakeFrom = .now + ClusterTiming.lifetime
                nextLook = .now
            }
        } catch {
            hadFailure = true
            nextRenewal = .now + .milliseconds(250)
            member.environment.health.notReady("cluster", "\(error)")
            member.logger.warning("This process could not report to the database that it is alive", because: error)
        }
    }

    // MARK: The broker

    private mutating func keepLink() {
        let now = ContinuousClock.now
        if link == nil, now >= nextLink {
            nextLink = now + .seconds(1)
            do {
                link = try ProcessLink(
                    member.options,
                    id: member.membership.id,
                    topics: member.environment.topics,
                    waker: member.waker,
                    patience: linkPatience
                )
                try link?.begin()
                unreachableSince = nil
                hasGivenUp = false
                (nextRenewal, nextLook) = (now, now)
            } catch {
                member.environment.health.notReady("cluster", "\(error)")
            }
        }
        if let heardAt = link?.heardAt, now - heardAt > ClusterTiming.brokerPatience {
            member.logger.warning("The broker does not answer")
            dropLink()
        }
        if isCutOff { giveUp() }
        guard now >= nextBeat else { return }
        nextBeat = now + .seconds(1)
        do { try link?.beat() } catch { dropLink() }
    }

    /// How long to wait for the broker; the wait is shorter if this process must soon give up its lanes.
    private var linkPatience: Duration {
        let longest = Duration.seconds(3)
        guard let unreachableSince, !hasGivenUp, !lanes.isEmpty else { return longest }
        let left = unreachableSince + ClusterTiming.brokerPatience - .now
        return min(longest, max(left, .milliseconds(200)))
    }

    /// Gives up all lanes without waiting for their threads, so that other processes can take the lanes.
    ///
    /// A lane taken by another process gets a new epoch, so this process can no longer commit the lane's transactions.
    private mutating func giveUp() {
        guard !hasGivenUp else { return }
        lanes.abandonAll()
        hasGivenUp = expire(member.membership.id)
    }

    private mutating func dropLink() {
        guard let heardAt = link?.heardAt else { return }
        link = nil
        unreachableSince = heardAt
        nextRenewal = .now
    }

    /// Whether the broker has been silent for so long that other processes should take the lanes.
    private var isCutOff: Bool { unreachableSince.map { .now - $0 > ClusterTiming.brokerPatience } ?? false }

    private mutating func wait() {
        for lane in member.takeWakeups() {
            do { try link?.wake(lane) } catch { dropLink() }
        }
        guard link != nil else {
            usleep(50_000)
            return
        }
        let next = min(nextRenewal, nextBeat, nextLook)
        do {
            let news = try link?.receive(wait: max(.zero, next - .now)) ?? []
            for other in news where !other.isOnline { expire(other.id) }
            if !news.isEmpty { nextLook = .now }
        } catch {
            dropLink()
        }
    }

    @discardableResult
    private func expire(_ id: String) -> Bool {
        do {
            try store.coordinate { try $0.nodes.expire(id) }
            return true
        } catch {
            member.logger.warning(
                "A process is gone, but this could not be recorded in the database",
                metadata: ["process": "\(id)", "error": "\(error)"]
            )
            return false
        }
    }

    // MARK: Lanes

    private mutating func look() {
        if lanes.releaseEnded() {
            do { try link?.announce(isOnline: true) } catch { dropLink() }
            nextLook = .now
        }
        guard ContinuousClock.now >= nextLook else { return }
        nextLook = .now + ClusterTiming.look
        guard member.membership.isTrusted, link != nil else { return }
        do {
            try lanes.balance(takesForeign: ContinuousClock.now >= mayTakeFrom)
            member.environment.health.ready("cluster")
        } catch {
            member.logger.warning("The lanes could not be distributed", because: error)
        }
    }

    /// Gives back each lane when the lane's thread has ended, or at the latest after `ClusterTiming.handOver`.
    private mutating func handOver() {
        let start = ContinuousClock.now
        lanes.stopAll()
        tell("that it is about to end") { try $0.retire($1) }
        let end = start + member.environment.limits.drainMax + .seconds(1)
        while !lanes.isEmpty, ContinuousClock.now < end {
            let isLate = ContinuousClock.now - start > ClusterTiming.handOver
            if lanes.releaseEnded(orAll: isLate) { try? link?.announce(isOnline: true) }
            renew()
            usleep(5_000)
        }
        tell("that it ends") { try $0.leave($1) }
        link?.close()
    }

    private func tell(_ what: String, _ body: (Membership, Store) throws -> Void) {
        do {
            try body(member.membership, store)
        } catch {
            member.logger.warning("This process could not report to the database \(what)", because: error)
        }
    }
}
