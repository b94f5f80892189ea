package import Domain
package import Files
package import Service
package import ServiceSettings
package import Storage
package import Wire
package import Workers

/// Everything that operations need, such as the store, the settings and the running service.
package struct OperationContext: Sendable {
    /// The store.
    package let store: Store
    /// The settings of the installation.
    package let settings: Settings
    /// The data directory.
    package let directory: DataDirectory
    /// The address of the console, without a slash at the end.
    package let consoleURL: String
    /// The running service, or nil if a command runs the operations in its own process.
    package let service: RunningService?
    /// The topics of the installation.
    package let topics: Topics
    /// The limits of the installation.
    package let limits: Limits
    /// The threads on which blocking work runs.
    package let threads = OperationThreads()

    /// Creates the context of a command; a running service learns of the command's changes from the store.
    package init(_ store: Store, _ settings: Settings, in directory: DataDirectory, consoleURL: String) {
        self.store = store
        self.settings = settings
        self.directory = directory
        self.consoleURL = consoleURL
        service = nil
        (topics, limits) = (Topics(root: settings.root), Limits(settings))
    }

    /// Creates the context of a running service.
    package init(_ service: RunningService) {
        let (run, environment) = (service.run, service.environment)
        (store, settings, directory) = (environment.store, run.settings, run.directory)
        (consoleURL, self.service) = (run.consoleURL, service)
        (topics, limits) = (environment.topics, environment.limits)
    }

    /// The current time.
    package var now: Instant { (service?.environment.clock ?? SystemClock()).now }

    /// Runs a transaction; the session worker publishes the transaction's messages.
    func work<Value>(_ body: (inout UnitOfWork) throws -> Value) throws -> Value {
        guard let environment = service?.environment else {
            return try store.work(publishedBy: .session, topics: topics, limits: limits, body)
        }
        return try environment.work(publishedBy: .session, body)
    }
}

/// The running service whose process carries out the operations.
package struct RunningService: Sendable {
    /// The run of the service: its settings, ports, readiness and metrics.
    package let run: RunContext
    /// The store, topics, limits and clock that the workers use.
    package let environment: Environment
    /// The moment at which the service started.
    package let startedAt: Instant

    /// Creates the description of the service in the given run, and sets `startedAt` to the current time.
    package init(_ run: RunContext, _ backend: Backend) {
        self.run = run
        environment = backend.environment
        startedAt = backend.environment.clock.now
    }

    /// Whether `lamplighter up` started the service together with the demo.
    ///
    /// The console then shows the sign-in codes in outgoing messages.
    package var isDevelopment: Bool { run.demo != nil }
}
