import Glibc
import Logging
import Mosquitto
import Storage

/// The turns of a member's thread.
struct ClusterTurns: ~Copyable {
    private let member: ClusterMember
    private var link: ProcessLink?
    private var lanes: HeldLanes
    private var nextRenewal = ContinuousClock.now
    private var nextBeat = ContinuousClock.now
    private var nextLink = ContinuousClock.now
    private var nextLook = ContinuousClock.now
    /// Before this moment only lanes that were given back are taken: the others say first that they are alive, too.
    private var mayTakeFrom = ContinuousClock.now
    private var hadFailure = false
    /// Since when the broker has not been reached.
    private var unreachableSince: ContinuousClock.Instant? = .now

    init(_ member: ClusterMember) {
        self.member = member
        lanes = HeldLanes(member)
    }

    private var store: Store { member.environment.store }

    /// Runs until the member must stop, and hands over.
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
        // A process that the broker does not hear is none that lanes could be given to.
        if isCutOff { return }
        do {
            guard try member.membership.renew(store) else {
                member.logger.error(
                    "Another process has this one's slot: it was silent for too long",
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
            let summary = Failure.summary(error)
            member.environment.health.notReady("cluster", summary)
            member.logger.warning(
                "The database was not told that this process is alive",
                metadata: ["error": "\(summary)"]
            )
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
                    waker: member.waker
                )
                try link?.begin()
                unreachableSince = nil
                (nextRenewal, nextLook) = (now, now)
            } catch {
                member.environment.health.notReady("cluster", Failure.summary(error))
            }
        }
        if let heardAt = link?.heardAt, now - heardAt > ClusterTiming.brokerPatience {
            member.logger.warning("The broker does not answer")
            dropLink()
        }
        if isCutOff, !lanes.isEmpty {
            // Another process may reach it.
            lanes.abandonAll()
        }
        guard now >= nextBeat else { return }
        nextBeat = now + .seconds(1)
        do { try link?.beat() } catch { dropLink() }
    }

    private mutating func dropLink() {
        guard let heardAt = link?.heardAt else { return }
        link = nil
        unreachableSince = heardAt
        nextRenewal = .now
    }

    /// Whether the broker has not been heard for so long that others should have the lanes.
    private var isCutOff: Bool {
        unreachableSince.map { .now - $0 > ClusterTiming.brokerPatience } ?? false
    }

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

    private func expire(_ id: String) {
        do {
            try store.coordinate { try $0.nodes.expire(id) }
        } catch {
            member.logger.warning(
                "Another process is gone, and the database was not told",
                metadata: ["error": "\(Failure.summary(error))"]
            )
        }
    }

    // MARK: Lanes

    private mutating func look() {
        if lanes.releaseEnded() {
            if isCutOff, lanes.isEmpty { expire(member.membership.id) }
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
            member.logger.warning(
                "The lanes could not be shared out",
                metadata: ["error": "\(Failure.summary(error))"]
            )
        }
    }

    private mutating func handOver() {
        lanes.stopAll()
        let end = ContinuousClock.now + member.environment.limits.drainMax + .seconds(1)
        while !lanes.isEmpty, ContinuousClock.now < end {
            if lanes.releaseEnded() { try? link?.announce(isOnline: true) }
            renew()
            usleep(5_000)
        }
        do {
            try member.membership.leave(store)
        } catch {
            member.logger.warning(
                "The database was not told that this process ends",
                metadata: ["error": "\(Failure.summary(error))"]
            )
        }
        link?.close()
    }
}
