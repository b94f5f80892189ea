/// The effect of a trigger on its schedule, given that its occurrence has not been run before.
///
/// The rules in words (reference: schedules#due).
package enum TriggerRules {
    /// The consequences of a trigger.
    package struct Outcome: Sendable, Equatable {
        /// Occurrences that were not run in time, ascending.
        package var missed: [Instant] = []
        /// The occurrence that runs now.
        package var run: Instant?
        /// The schedule's next occurrence.
        package var nextAt: Instant?
    }

    /// The bounds of lateness, in seconds: the lateness above which an occurrence is missed, and the lead above which
    /// it is refused; the age above which it is forgotten and never runs.
    package typealias Lateness = (lateSeconds: Int64, rememberedSeconds: Int64)

    /// The maximum number of missed occurrences that one trigger finds; the next one finds more.
    private static let missedMax = 1000

    /// Decides about a trigger, or fails with the reason why it is refused.
    ///
    /// `next` returns the schedule's first occurrence after a moment. A trigger of `schedule.nextAt` decides about all
    /// occurrences from then to `now`: those not run in time are missed, and `nextAt` moves on. A trigger of another
    /// occurrence, one that `nextAt` has passed, decides about that one alone.
    package static func decide(
        _ dueAt: Instant,
        of schedule: Schedule,
        at now: Instant,
        _ lateness: Lateness,
        next: (Instant) -> Instant?
    ) -> Result<Outcome, Refusal> {
        guard schedule.isEnabled else { return .failure(Refusal("the schedule is disabled")) }
        guard dueAt > schedule.activeSince else {
            return .failure(Refusal("dueAt lies before the schedule was made, changed or enabled"))
        }
        guard dueAt <= now.adding(seconds: lateness.lateSeconds) else {
            return .failure(Refusal("dueAt lies too far ahead of the server's clock"))
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
        /// The reason in words.
        package var reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

/// A request to run one occurrence of one schedule.
package struct Trigger: Hashable, Sendable {
    /// The schedule.
    package var schedule: ScheduleID
    /// The occurrence.
    package var dueAt: Instant

    /// Makes a trigger.
    package init(_ schedule: ScheduleID, dueAt: Instant) {
        self.schedule = schedule
        self.dueAt = dueAt
    }
}
