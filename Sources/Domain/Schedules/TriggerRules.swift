/// The rules for a trigger's effect on its schedule.
///
/// The caller has checked that the trigger's occurrence hasn't run yet.
///
/// The documentation describes these rules (reference: schedules#due).
package enum TriggerRules {
    /// The consequences of a trigger.
    package struct Outcome: Sendable, Equatable {
        /// The occurrences that weren't run in time, in ascending order.
        package var missed: [Instant] = []
        /// The occurrence that runs now; nil if no occurrence runs now.
        package var run: Instant?
        /// The schedule's next occurrence.
        package var nextAt: Instant?
    }

    /// The limits, in seconds, on the lateness of an occurrence.
    ///
    /// An occurrence that is more than `lateSeconds` late counts as missed. A trigger is refused if its occurrence is
    /// more than `lateSeconds` in the future. An occurrence older than `rememberedSeconds` never runs.
    package typealias Lateness = (lateSeconds: Int64, rememberedSeconds: Int64)

    /// The maximum number of missed occurrences that one trigger records.
    ///
    /// The next trigger records further occurrences.
    private static let missedMax = 1000

    /// Returns the consequences of a trigger, or the reason why the trigger is refused.
    ///
    /// `next` returns the first occurrence after a given time. If the trigger is for the occurrence at
    /// `schedule.nextAt`, the outcome covers that occurrence and any late occurrences that follow. `nextAt` then moves
    /// to the occurrence after them. If the trigger is for any other occurrence, the outcome covers only that
    /// occurrence, and `nextAt` stays unchanged.
    ///
    /// Late occurrences count as missed. If `schedule.misfire` is `run`, the last late occurrence runs nevertheless,
    /// unless it is older than `rememberedSeconds`. It also stays missed if the occurrence that follows it is already
    /// due.
    package static func decide(
        _ dueAt: Instant,
        of schedule: Schedule,
        at now: Instant,
        _ lateness: Lateness,
        next: (Instant) -> Instant?
    ) -> Result<Outcome, Refusal> {
        guard schedule.isEnabled else { return .failure(Refusal("the schedule is disabled")) }
        guard dueAt > schedule.activeSince else {
            return .failure(Refusal("dueAt is before the schedule was made, changed or enabled"))
        }
        guard dueAt <= now.adding(seconds: lateness.lateSeconds) else {
            return .failure(Refusal("dueAt is too far ahead of the server's clock"))
        }
        let isNext = dueAt == schedule.nextAt
        guard isNext || next(Instant(milliseconds: dueAt.milliseconds - 1)) == dueAt else {
            return .failure(Refusal("the schedule has no occurrence at dueAt"))
        }
        let limit = now.adding(seconds: -lateness.lateSeconds)
        var late: [Instant] = []
        var following: Instant? = dueAt
        while let moment = following, moment < limit, late.count < missedMax {
            late.append(moment)
            following = next(moment)
            if !isNext { break }
        }
        var outcome = Outcome(nextAt: isNext ? following : schedule.nextAt)
        guard let last = late.last else {
            outcome.run = dueAt
            if isNext { outcome.nextAt = next(dueAt) }
            return .success(outcome)
        }
        outcome.missed = late
        if schedule.misfire == .run, following.map({ $0 > now }) ?? true,
            last > now.adding(seconds: -lateness.rememberedSeconds)
        {
            outcome.missed.removeLast()
            outcome.run = last
        }
        return .success(outcome)
    }

    /// The reason why a trigger is kept as a dead letter.
    package struct Refusal: Error, Equatable {
        /// The reason, as a phrase.
        package var reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

/// A request to run one occurrence of one schedule.
package struct Trigger: Hashable, Sendable {
    /// The schedule.
    package var schedule: ScheduleID
    /// The time of the occurrence.
    package var dueAt: Instant

    /// Makes a trigger.
    package init(_ schedule: ScheduleID, dueAt: Instant) {
        (self.schedule, self.dueAt) = (schedule, dueAt)
    }
}
