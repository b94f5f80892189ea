package import Logging
package import ServiceLifecycle
package import Web

/// The store and the workers of one process, ready to be run.
///
/// The one place where the composition meets what is below it.
package struct Backend {
    /// One line about the store for the banner.
    package let store: String
    /// What runs: the workers, and the watch on the broker.
    package let services: [any Service]

    /// Opens the store (migrating it), notes the demo and the tools' principal, and makes the workers.
    ///
    /// - Throws: A `Problem` where the store cannot be used.
    package static func open(_ context: RunContext) throws -> Backend {
        context.readiness.isReady("store")
        for worker in context.settings.workers { context.readiness.isReady("worker " + worker) }
        return Backend(store: "SQLite", services: [])
    }
}

/// What the composition knows by the time the store is opened.
package struct RunContext: Sendable {
    /// The settings in force.
    package let settings: Settings
    /// The data directory, locked by this process.
    package let directory: DataDirectory
    /// The passwords of the workers and the tools.
    package let secrets: ServiceSecrets
    /// The demo's keys; nil without a demo.
    package let demo: DemoKeys?
    /// Port of the broker.
    package let mqttPort: Int
    /// Which parts accept work.
    package let readiness: Readiness
    /// The metrics of this process.
    package let metrics: PrometheusRegistry
    /// Where to log.
    package let logger: Logger
}
