/// One occurrence of a schedule and its outcome.
package struct ScheduleRun: Sendable, Equatable {
    /// The state of a run.
    package enum State: String, Sendable, CaseIterable {
        /// Its command has no outcome yet; not published, since the outcome follows soon.
        case sent
        case done, failed, expired, missed

        /// Derives a run's state from its command's; nil while the command has no outcome.
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
    /// The occurrence.
    package var dueAt: Instant
    /// When the schedule worker decided about it; in a trigger, when the scheduler published it.
    package var firedAt: Instant
    /// Its state.
    package var state: State
    /// The command that was made for it.
    package var cid: Int64?
    /// The reason why no command was sent, or why the device did not carry it out.
    package var error: ErrorCode?
    /// The device's own error.
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
