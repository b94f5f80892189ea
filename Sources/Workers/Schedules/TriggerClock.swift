package import Domain
package import Storage
import Wire

/// The handler of the scheduler, which publishes a trigger for each due schedule on `system/trigger/{scheduleId}`.
///
/// The scheduler changes nothing in the store. An occurrence stays due until the schedule worker has run it. Therefore,
/// a lost trigger is sent again, and two schedulers do no harm.
package struct TriggerClock: BatchHandler {
    private let environment: Environment
    /// The sent triggers whose occurrences have not run yet.
    private var firedTriggers: [Trigger: FiredTrigger] = [:]
    /// The time of the next occurrence, as read from the store in the last check.
    private var planned: Instant?
    /// The time of the next check of the sent triggers.
    private var lookAt: Instant?
    private var budget: Budget
    /// The period in which devices may still be reconnecting, or nil at other times.
    ///
    /// The period begins when the scheduler connects and the broker has no MQTT session of the scheduler. The session
    /// is missing if the broker has lost all sessions. It is also missing if the scheduler has a new client id.
    private var settling: (from: Instant, until: Instant)?

    private struct FiredTrigger {
        var at: ContinuousClock.Instant
        var times: Int

        /// Returns whether the occurrence has waited long enough for the trigger to be sent again.
        func mayRepeat(at now: ContinuousClock.Instant) -> Bool {
            now - at > TriggerClock.patience * (1 << min(times - 1, TriggerClock.doublingsMax))
        }
    }

    /// A limit on the rate of triggers, so that they don't delay devices' reports.
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

    /// The pause before a check of the sent triggers, in milliseconds.
    private static let lookMilliseconds: Int64 = 50
    /// The time before a trigger's first repeat; the time doubles after each repeat, at most `doublingsMax` times.
    private static let patience: Duration = .seconds(30)
    private static let doublingsMax = 7

    /// Makes the scheduler's handler.
    package init(_ environment: Environment) {
        self.environment = environment
        budget = Budget(perSecond: environment.limits.triggersPerSecond, most: environment.limits.triggersAtOnce)
        _ = ScheduleMetrics.shared
    }

    /// The worker's name and its subscriptions.
    package let role = WorkerRole(.scheduler, Subscriptions())
    package mutating func handle(_ batch: [Inbound], in tx: Transaction) throws -> Effects { Effects() }

    package mutating func connected(isSessionPresent: Bool, in tx: Transaction) throws -> [OutboundMessage] {
        if !isSessionPresent {
            let until = tx.now.adding(seconds: environment.limits.triggerSettleSeconds)
            settling = (tx.now, until)
        }
        return []
    }

    package func waiting(in tx: Transaction?) throws -> WaitingWork {
        let waiting = WaitingWork(nextDue: lookAt ?? planned)
        let now = environment.clock.now
        // If the next check is over a second ahead, the clock was set back.
        guard let tx, lookAt.map({ $0 <= now || $0 > now.adding(seconds: 1) }) ?? true else { return waiting }
        guard try tx.schedules.nextDue() == planned else { return WaitingWork(nextDue: WaitingWork.atOnce) }
        return WaitingWork(nextDue: [lookAt, planned].compactMap(\.self).min())
    }

    package mutating func due(in tx: Transaction) throws -> Effects? {
        if let settling, tx.now < settling.from || tx.now >= settling.until { self.settling = nil }
        let waiting = try waiting(in: tx)
        let start = ContinuousClock.now
        budget.fill(at: start)
        var still: [Trigger: FiredTrigger] = [:]
        var fired: [Trigger] = []
        for trigger in waiting {
            var entry = firedTriggers[trigger]
            if fired.count < budget.left, entry.map({ $0.mayRepeat(at: start) }) ?? true {
                entry = FiredTrigger(at: start, times: (entry?.times ?? 0) + 1)
                fired.append(trigger)
            }
            still[trigger] = entry
        }
        budget.left -= fired.count
        firedTriggers = still
        planned = try tx.schedules.nextDue()
        let isHolding = settling != nil && planned.map { $0 <= tx.now } ?? false
        lookAt =
            waiting.isEmpty && !isHolding ? nil : Instant(milliseconds: tx.now.milliseconds + Self.lookMilliseconds)
        ScheduleMetrics.shared.waits(waiting.count)
        return fire(fired, in: tx)
    }

    /// Returns the triggers of due occurrences, with the triggers of late occurrences last.
    private func waiting(in tx: Transaction) throws -> [Trigger] {
        let limit = environment.limits.triggerPage
        let missedBefore = tx.now.adding(seconds: -environment.limits.triggerLateSeconds)
        if let settling {
            // While devices may still reconnect, an occurrence that became due before the scheduler connected waits
            // until the end of `settling`. It is fired at once only if it would become a missed occurrence during the
            // wait. An occurrence that became due after the scheduler connected is fired at once.
            let untilSettled = settling.until.milliseconds - tx.now.milliseconds
            let missedWhenSettled = Instant(milliseconds: missedBefore.milliseconds + untilSettled)
            let wouldBeMissed = min(missedWhenSettled, settling.from)
            let dueSince = max(missedBefore, settling.from)
            return try tx.schedules.due(after: missedBefore, upTo: wouldBeMissed, limit: limit)
                + (try tx.schedules.due(after: dueSince, upTo: tx.now, limit: limit))
        }
        let inTime = try tx.schedules.due(after: missedBefore, upTo: tx.now, limit: limit)
        guard inTime.count < limit else { return inTime }
        let ever = Instant(milliseconds: .min)
        return inTime + (try tx.schedules.due(after: ever, upTo: missedBefore, limit: limit - inTime.count))
    }

    /// Returns the triggers as signals, which need no outbox because a lost trigger is sent again.
    private func fire(_ triggers: [Trigger], in tx: Transaction) -> Effects {
        let now = tx.now
        var effects = Effects()
        for trigger in triggers {
            let topic = environment.topics.system("trigger/\(trigger.schedule.text)")
            effects.signal(OutboundMessage(topic, ScheduleCodec.encode(trigger, firedAt: now)))
        }
        guard let first = triggers.first else { return effects }
        tx.afterCommit {
            ScheduleMetrics.shared.fired(triggers.count, lagMilliseconds: now.milliseconds - first.dueAt.milliseconds)
        }
        return effects
    }
}
