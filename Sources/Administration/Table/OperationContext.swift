import Domain
package import Service
import ServiceSettings
import Storage
import Workers

/// The dependencies of the console's operations, made once for a run.
package struct ConsoleContext: Sendable {
    /// The run: settings, ports, readiness, metrics.
    let run: RunContext
    /// The store, topics, limits and clock that the workers use.
    let environment: Environment
    /// The threads that blocking work runs on.
    let threads = ConsoleThreads()
    /// The moment at which the service started.
    let startedAt: Instant
    /// Creates the context of a run.
    package init(_ run: RunContext, _ backend: Backend) {
        self.run = run
        environment = backend.environment
        startedAt = backend.environment.clock.now
    }

    var store: Store { environment.store }
    var settings: Settings { run.settings }
    var now: Instant { environment.clock.now }
    /// Whether `up` runs with its demo, which shows the codes of messages.
    var isDevelopment: Bool { run.demo != nil }
    /// Whether browsers connect by https.
    var isSecure: Bool { run.consoleIsSecure }
}
