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
