import Domain
package import Service
import ServiceSettings
import Storage
import Workers

/// What the console's operations work with, made once for a run.
package struct ConsoleContext: Sendable {
    /// The run: settings, ports, readiness, metrics.
    let run: RunContext
    /// The store, topics, limits and clock, as the workers have them.
    let environment: Environment
    /// The threads that blocking work runs on.
    let threads = ConsoleThreads()
    /// When the service started.
    let startedAt: Instant
    /// Takes what a run has.
    package init(_ run: RunContext, _ backend: Backend) {
        self.run = run
        environment = backend.environment
        startedAt = backend.environment.clock.now
    }

    var store: Store { environment.store }
    var settings: Settings { run.settings }
    var now: Instant { environment.clock.now }
    /// Whether `up` runs with its demo: codes of messages are shown.
    var isDevelopment: Bool { run.demo != nil }
    /// Whether browsers come by https.
    var isSecure: Bool { run.consoleIsSecure }
}
