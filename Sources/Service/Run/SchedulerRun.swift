import Domain
import Files
import Logging
import ServiceLifecycle
package import ServiceSettings
import Sodium
import Storage
import Wire
import Workers

/// A process that runs only the scheduler and the maintenance of rows, possibly next to a running service.
///
/// The process takes no lock, since two schedulers at the same time do no harm. Each occurrence of a schedule is
/// carried out only once. Each time the process starts, it uses a new client id, for which the broker has no MQTT
/// session. To the scheduler, the missing session looks like a restart of the broker. Due occurrences therefore wait
/// until devices have had time to reconnect (`limits.triggerSettle`).
package struct SchedulerRun: Sendable {
    private let settings: Settings
    private let messages: RunMessages

    /// Prepares a run that writes the notice of its readiness to `messages`.
    package init(settings: Settings, messages: RunMessages) { (self.settings, self.messages) = (settings, messages) }

    /// Runs until the process receives SIGINT or SIGTERM.
    ///
    /// - Throws: A `Problem` if something that the scheduler needs is missing.
    package func run() async throws {
        LogSetup.install(settings)
        let directory = try DataDirectory.existing(settings)
        let client = ToolClient(directory, settings)
        let address = client.address
        let logger = Logger(label: "lamplighter.scheduler")
        let messages = messages
        let environment = Environment(
            store: try StoreAccess.tool(directory, StorePlace(settings), bound: .service),
            topics: Topics(root: settings.root),
            limits: Limits(settings),
            wakeups: try WorkerWakeups([.scheduler]),
            health: Health(
                ready: { _ in
                    messages.say(
                        "scheduler is ready, broker \(address.host):\(address.port)",
                        asEvent: "The scheduler is ready",
                        ["broker": "\(address.host):\(address.port)"]
                    )
                },
                notReady: { _, _ in }
            )
        )
        let options = try client.options()
        let thread = try WorkerThread(
            .scheduler,
            clientID: "svc.tools.scheduler-" + Sodium.randomSecret().prefix(12),
            options: options,
            environment: environment,
            logger: logger
        )
        let maintenance = MaintenanceThread(MaintenanceJobs.rows, environment, logger: logger)
        try await ServiceGroup.runUntilSignal([WorkService(maintenance), WorkService(thread)], logger: logger)
    }
}
