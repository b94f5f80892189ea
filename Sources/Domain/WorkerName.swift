/// The names of the workers.
package enum WorkerName: String, Sendable, CaseIterable {
    /// Processes reports, presence and registrations of devices (`StatusHandler`).
    case status
    /// Answers requests about devices, homes and sharing, and sends commands (`ControlHandler`).
    case control
    /// Answers requests about accounts, sessions and apps (`RequestHandler.account`).
    case account
    /// Answers requests from makers' servers about events, and all requests about notifications
    /// (`RequestHandler.reach`).
    case reach
    /// Announces ended sessions, sends e-mails and text messages, and answers requests in place of workers that are
    /// offline (`SessionHandler`).
    case session
    /// Answers requests about schedules, and carries out due occurrences (`ScheduleWorker`).
    case schedule
    /// Publishes triggers for the due occurrences of schedules (`TriggerClock`).
    case scheduler

    /// The services whose requests the worker answers.
    package var services: [String] {
        switch self {
        case .status, .session, .scheduler: []
        case .control: ["device", "home", "share"]
        case .account: ["account", "session", "app"]
        case .schedule: ["schedule"]
        case .reach: ["events", "notification"]
        }
    }
}
