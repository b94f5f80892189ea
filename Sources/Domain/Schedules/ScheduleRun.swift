/// A run: one occurrence of a schedule, with its outcome.
package struct ScheduleRun: Sendable, Equatable {
    /// The state of a run.
    package enum State: String, Sendable, CaseIterable {
        /// The run's command has no outcome yet. This state isn't published, because the outcome follows soon.
        case sent
        case done, failed, expired, missed

        /// Derives a run's final state from its command's state, or returns nil while the command has no outcome.
        package init?(_ state: Command.State) {
            switch state {
            case .queued, .sent: return nil
            case .done: self = .done
            case .failed, .superseded: self = .failed
            case .expired: self = .expired
            }
        }
    }

    /// The schedule.
    package var schedule: ScheduleID
    /// The time of the occurrence.
    package var dueAt: Instant
    /// The time at which the schedule worker decided about the occurrence.
    package var firedAt: Instant
    /// The run's state.
    package var state: State
    /// The number of the command that was made for the run.
    package var cid: Int64?
    /// The reason why no command was sent, or why the device didn't carry out the command.
    package var error: ErrorCode?
    /// The device's own error code.
    package var code: Int64?

    /// Makes a run.
    package init(
        _ schedule: ScheduleID,
        dueAt: Instant,
        firedAt: Instant,
        state: State,
        cid: Int64? = nil,
        error: ErrorCode? = nil,
        code: Int64? = nil
    ) {
        self.schedule = schedule
        self.dueAt = dueAt
        self.firedAt = firedAt
        self.state = state
        self.cid = cid
        self.error = error
        self.code = code
    }
}
