import JSON
package import Logging
package import ServiceLifecycle
package import Storage
package import Web

/// The store of one process and, from it, the workers.
///
/// The one place where the composition meets what is below it.
package struct Backend: Sendable {
    /// The store, open and migrated.
    package let store: Store

    /// Opens the store, and notes the demo and the tools' principal in it.
    ///
    /// - Throws: A `Problem` where the store cannot be used.
    package static func open(
        _ directory: DataDirectory,
        _ secrets: ServiceSecrets,
        _ demo: DemoKeys?
    ) throws -> Backend {
        let store = try StoreOpener.service(directory)
        try store.batch(at: StoreOpener.now()) { tx in
            try tx.services.save("tools", role: .worker, secret: secrets.tools)
        }
        if let demo {
            for document in [DemoDocuments.product(demo)].compactMap(\.objectValue) {
                _ = try ProductImport.run(document, from: "the demo product", into: store)
            }
            for document in [DemoDocuments.app(demo)].compactMap(\.objectValue) {
                _ = try AppImport.run(document, from: "the demo app", into: store)
            }
        }
        return Backend(store: store)
    }

    /// One line about the store for the banner.
    package var summary: String {
        let settings = (try? store.settings()) ?? []
        let synchronous = settings.first { $0.name == "synchronous" }?.value
        let journal = settings.first { $0.name == "journal_mode" }?.value ?? "?"
        return
            "SQLite, \(journal.uppercased()), synchronous \(synchronous == "2" ? "FULL" : synchronous ?? "?")"
    }

    /// What runs: the workers, and the watch on the broker.
    package func services(_ context: RunContext) throws -> [any Service] {
        for worker in context.settings.workers { context.readiness.isReady("worker " + worker) }
        return []
    }
}

/// What the composition knows by the time the workers are made.
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
    /// Port of HTTP.
    package let httpPort: Int
    /// Which parts accept work.
    package let readiness: Readiness
    /// The metrics of this process.
    package let metrics: PrometheusRegistry
    /// Where to log.
    package let logger: Logger
}
