import Administration
import Domain
package import Service
import ServiceSettings
import Storage
import Workers

/// The console's dependencies, made once for each run of the service.
package struct ConsoleContext: Sendable {
    /// The running service.
    let service: RunningService
    /// The dependencies of the operations.
    let operations: OperationContext

    /// Creates the context for one run of the service.
    package init(_ run: RunContext, _ backend: Backend) {
        service = RunningService(run, backend)
        operations = OperationContext(service)
    }

    var run: RunContext { service.run }
    var environment: Environment { service.environment }
    var store: Store { environment.store }
    var settings: Settings { run.settings }
    var now: Instant { environment.clock.now }
    var threads: OperationThreads { operations.threads }
}
