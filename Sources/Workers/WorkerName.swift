/// The workers, each one thread and one broker session; the scheduler, a clock, among them.
package enum WorkerName: String, Sendable, CaseIterable {
    case status, control, account, session, schedule, scheduler

    /// The client id that the worker's broker session belongs to.
    package var clientID: String { "svc.lamplighter.\(rawValue)" }

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
