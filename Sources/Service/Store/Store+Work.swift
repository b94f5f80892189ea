package import Domain
package import ServiceSettings
package import Storage
import Wire
package import Workers

extension Store {
    /// Runs a transaction of a tool with an installation's settings; a worker publishes its
    /// messages.
    ///
    /// A running service finds them within half a second, a stopped service when it starts.
    package func work<Value>(
        publishedBy worker: WorkerName,
        _ settings: Settings,
        _ body: (inout UnitOfWork) throws -> Value
    ) throws -> Value {
        try work(
            publishedBy: worker,
            topics: Topics(root: settings.root),
            limits: Limits(settings),
            body
        )
    }
}
