package import Domain
package import Storage
package import Wire

/// The scheduler: a clock that says which schedules are due, on `system/trigger/{scheduleId}`.
///
/// It changes nothing in the store: what is due stays due until the schedule worker has taken it up,
/// so that a trigger that is lost is said again, and two schedulers do no harm.
package struct SchedulerHandler: BatchHandler {
    private let environment: Environment
    private var signals: [OutboundMessage] = []
    /// What was said and has not been taken up yet.
    private var said: [Trigger: Said] = [:]
    /// When the next schedule acts, as far as was known at the last look.
    private var planned: Instant?
    /// When it is looked again whether what was said has been taken up.
    private var lookAt: Instant?
    private var budget: Budget
    /// The time after a broker began that knows nobody: its devices come back first.
    private var settling: (from: Instant, until: Instant)?

    private struct Said {
        var at: ContinuousClock.Instant
        var times: Int

        /// Whether nobody has taken it up for so long that it is said again.
        func isForgotten(at now: ContinuousClock.Instant) -> Bool {
            now - at > SchedulerHandler.patience * (1 << min(times - 1, SchedulerHandler.timesMax))
        }
    }

    /// How many triggers may be said: very many that are due at once would hold up devices' reports.
    private struct Budget {
        let perSecond: Int
        let most: Int
        var left: Int
        var filledAt: ContinuousClock.Instant

        init(perSecond: Int, most: Int) {
            self.perSecond = perSecond
            self.most = most
            left = most
            filledAt = .now
        }

        mutating func fill(at now: ContinuousClock.Instant) {
            let seconds = min((now - filledAt) / .seconds(1), Double(most))
            let gained = Int(seconds * Double(perSecond))
            guard gained > 0 else { return }
            left = min(most, left + gained)
            filledAt = now
        }
    }

    /// How long it waits before it looks what has been taken up, in milliseconds.
    private static let lookMilliseconds: Int64 = 50
    /// How long a trigger has to be taken up before it is said again; each time twice as long.
    private static let patience: Duration = .seconds(30)
    private static let timesMax = 7

    /// Makes the clock.
    package init(_ environment: Environment) {
        self.environment = environment
        budget = Budget(
            perSecond: environment.limits.triggersPerSecond,
            most: environment.limits.triggersAtOnce
        )
    }

    package var name: WorkerName { .scheduler }
    package var filters: [String] { [] }
    package var nextDue: Instant? { lookAt ?? planned }

    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Owed { Owed() }

    package mutating func connected(
        isSessionPresent: Bool,
        in tx: Transaction
    ) throws -> [OutboundMessage] {
        if !isSessionPresent {
            let until = tx.now.adding(seconds: environment.limits.triggerSettleSeconds)
            settling = (tx.now, until)
        }
        return []
    }

    package func isDue(in tx: Transaction) throws -> Bool {
        let now = environment.clock.now
        // A look that lies far ahead was planned before the clock went back.
        if let lookAt, lookAt > now, lookAt <= now.adding(seconds: 1) { return false }
        guard let next = try tx.schedules.nextDue() else { return planned != nil }
        return next <= now || next != planned
    }

    package mutating func due(in tx: Transaction) throws -> Owed? {
        if let rest = settling, tx.now < rest.from || tx.now >= rest.until { settling = nil }
        let waiting = try waiting(in: tx)
        let start = ContinuousClock.now
        budget.fill(at: start)
        var still: [Trigger: Said] = [:]
        var fired: [Trigger] = []
        for trigger in waiting {
            var entry = said[trigger]
            if fired.count < budget.left, entry.map({ $0.isForgotten(at: start) }) ?? true {
                entry = Said(at: start, times: (entry?.times ?? 0) + 1)
                fired.append(trigger)
            }
            still[trigger] = entry
        }
        budget.left -= fired.count
        said = still
        planned = try tx.schedules.nextDue()
        let isHolding = settling != nil && planned.map { $0 <= tx.now } ?? false
        lookAt =
            waiting.isEmpty && !isHolding
            ? nil : Instant(milliseconds: tx.now.milliseconds + Self.lookMilliseconds)
        fire(fired, at: tx.now)
        ScheduleMetrics.shared.waits(waiting.count)
        return nil
    }

    /// What is due: what may still be done in time comes before what is late.
    private func waiting(in tx: Transaction) throws -> [Trigger] {
        let limit = environment.limits.triggersMax
        let border = tx.now.adding(seconds: -environment.limits.triggerLateSeconds)
        if let settling {
            // What came due before can wait for its device, unless it would be too late then.
            let left = settling.until.milliseconds - tx.now.milliseconds
            let last = min(Instant(milliseconds: border.milliseconds + left), settling.from)
            let start = max(border, settling.from)
            return try tx.schedules.due(after: border, upTo: last, limit: limit)
                + (try tx.schedules.due(after: start, upTo: tx.now, limit: limit))
        }
        let timely = try tx.schedules.due(after: border, upTo: tx.now, limit: limit)
        guard timely.count < limit else { return timely }
        let first = Instant(milliseconds: .min)
        return timely
            + (try tx.schedules.due(after: first, upTo: border, limit: limit - timely.count))
    }

    private mutating func fire(_ triggers: [Trigger], at now: Instant) {
        signals += triggers.map { trigger in
            OutboundMessage(
                environment.topics.system("trigger/\(trigger.schedule.text)"),
                ScheduleCodec.encode(trigger, firedAt: now)
            )
        }
        guard let first = triggers.first else { return }
        ScheduleMetrics.shared.fired(
            triggers.count,
            lagMilliseconds: now.milliseconds - first.dueAt.milliseconds
        )
    }

    package mutating func takeSignals() -> [OutboundMessage] {
        defer { signals = [] }
        return signals
    }
}
