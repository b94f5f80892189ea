import Dispatch
import Domain
package import Logging
import Providers
import Storage
import Synchronization

/// A sender that posts new events to each webhook.
///
/// Each webhook gets one post at a time. If several processes share the work, only the leader sends. A 2xx answer moves
/// the webhook's cursor. If the process ends during a post, the post is repeated. So each event is delivered at least
/// once, in order.
package final class WebhookSender: Sendable {
    let environment: Environment
    let logger: Logger
    private let turns = Mutex(WebhookTurns())
    private let threads = Mutex((running: 0, idle: 0))
    private let bell = DispatchSemaphore(value: 0)
    private let transfers = OpenTransfers()
    private let isStopping = Atomic<Bool>(false)
    /// The catalog's last known epoch, which grows when a subscription, product or app changes.
    private let number = Atomic<Int64>(-1)

    /// The maximum number of posts that are under way at the same time.
    private static let sendersMax = 8
    /// The pause before each new search for changed subscriptions and due retries.
    private static let pause = Duration.milliseconds(200)
    private static let idleSeconds = 10

    /// Prepares a sender.
    package init(_ environment: Environment, logger: Logger) {
        (self.environment, self.logger) = (environment, logger)
    }

    // MARK: The schedule

    /// Runs until `stop` is called.
    package func run() async { await PlainThread.run { self.schedule() } }

    /// Ends `run`: no further post begins, and posts under way end within about a second.
    package func stop() {
        isStopping.store(true, ordering: .releasing)
        transfers.cancel()
    }

    private var mustStop: Bool { isStopping.load(ordering: .acquiring) }

    private func schedule() {
        var nextCount = ContinuousClock.now
        while !mustStop {
            PlainThread.pause(Self.pause)
            guard environment.leadership.isHeld else {
                turns.withLock { $0.clear() }
                if number.exchange(-1, ordering: .acquiringAndReleasing) != -1 { WebhookMetrics.has([], behind: 0) }
                continue
            }
            do {
                try findChanges()
                let mustCount = ContinuousClock.now >= nextCount
                if mustCount {
                    nextCount = .now + .seconds(10)
                    try count()
                }
            } catch {
                logger.warning("Webhooks can't be read from the store", because: error)
            }
            turns.withLock { $0.wakeDue(at: environment.clock.now) }
            giveTurns()
        }
        for _ in 0..<100 where threads.withLock({ $0.running > $0.idle }) { PlainThread.pause(.milliseconds(20)) }
    }

    private func count() throws {
        try environment.store.read(at: environment.clock.now) { tx in
            let all = try tx.eventSubscriptions.all()
            let lags = try all.filter { $0.state == .on }.map { try $0.behind(in: tx) }
            WebhookMetrics.has(all, behind: lags.max() ?? 0)
        }
    }

    /// Gives each webhook a turn after a change of the catalog.
    private func findChanges() throws {
        let known = number.load(ordering: .acquiring)
        let (now, ids) = try environment.store.read { tx in
            let now = try tx.meta.catalogEpoch()
            return (now, now == known ? [] : try tx.eventSubscriptions.webhooks().map(\.id))
        }
        guard now != known else { return }
        number.store(now, ordering: .releasing)
        turns.withLock { turns in for id in ids { turns.wake(id) } }
    }

    /// Wakes or starts a thread if a webhook is ready for its turn.
    private func giveTurns() {
        guard turns.withLock(\.hasTurn), !mustStop else { return }
        let mustStart = threads.withLock { threads in
            guard threads.idle == 0, threads.running < Self.sendersMax else { return false }
            threads.running += 1
            return true
        }
        if mustStart { PlainThread.detach { self.work() } } else { bell.signal() }
    }

    // MARK: On a sender's thread

    private func work() {
        guard var client = WebhookClient(environment.outbound, transfers) else {
            return threads.withLock { $0.running -= 1 }
        }
        while !mustStop {
            if let (id, webhook) = turns.withLock({ $0.take() }) {
                // Another thread can serve the other webhooks that are ready for a turn.
                giveTurns()
                carryOut(id, webhook, with: &client)
            } else if isIdle() {
                return
            }
        }
        threads.withLock { $0.running -= 1 }
    }

    /// Waits for work, and returns whether the thread must end because no work arrived.
    private func isIdle() -> Bool {
        threads.withLock { $0.idle += 1 }
        let isOver = bell.wait(timeout: .now() + .seconds(Self.idleSeconds)) == .timedOut
        return threads.withLock { threads in
            threads.idle -= 1
            guard isOver else { return false }
            threads.running -= 1
            return true
        }
    }

    private func carryOut(
        _ id: SubscriptionID,
        _ webhook: WebhookTurns.Webhook,
        with client: inout WebhookClient
    ) {
        var webhook = webhook
        var next: WebhookTurns.Next
        do {
            next = try deliver(id, &webhook, with: &client)
        } catch {
            logger.warning("A webhook can't use the store and tries again in a second", because: error)
            next = .wait(until: environment.clock.now.adding(seconds: 1))
        }
        turns.withLock { $0.finish(id, webhook, then: next) }
        if next == .listen { listen(id, webhook) }
    }

    /// Waits for the log's next entry, together with all other readers.
    private func listen(_ id: SubscriptionID, _ webhook: WebhookTurns.Webhook) {
        let number = number.load(ordering: .acquiring)
        // No reader may begin to wait while the process is ending.
        guard !environment.ending.hasBegun, let reader = webhook.reader,
            turns.withLock({ $0.listens(id, since: number) })
        else { return }
        let end = ContinuousClock.now + .seconds(Self.listenSeconds)
        environment.eventWatch.add(EventWait(reader, after: webhook.from, until: end)) {
            self.turns.withLock { $0.heard(id, since: number) }
            self.giveTurns()
        }
    }

    /// How many seconds a webhook without new events waits before its next turn.
    ///
    /// In that turn, the webhook's cursor passes the entries that don't match the filter.
    private static let listenSeconds = 30
}
