/// The workers, each one thread and one broker session.
package enum WorkerName: String, Sendable, CaseIterable {
    /// Takes reports, presence and registrations of devices (`StatusHandler`).
    case status
    /// Answers requests about devices, homes and sharing, and sends all commands (`ControlHandler`).
    case control
    /// Answers requests about accounts, sessions and apps (`RequestHandler.account`).
    case account
    /// Tells that sessions ended, sends mails and texts, answers for workers that are away (`SessionHandler`).
    case session
    /// Answers requests about schedules, and carries out occurrences that are due (`ScheduleWorker`).
    case schedule
    /// The clock: publishes which occurrences are due (`TriggerClock`).
    case scheduler

    /// The first levels of the app requests that the worker answers.
    package var services: [String] {
        switch self {
        case .status, .session, .scheduler: []
        case .control: ["device", "home", "share"]
        case .account: ["account", "session", "app"]
        case .schedule: ["schedule"]
        }
    }
}
