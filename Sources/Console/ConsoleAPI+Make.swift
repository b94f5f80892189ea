import Administration
import Domain
package import Service
import Storage
import Workers

extension ConsoleAPI {
    /// Creates the console for a `ServiceRun`, which gets this function as a parameter.
    package static let make: ConsoleMaker = { run, backend in
        let context = ConsoleContext(run, backend)
        return ConsolePart(responder: ConsoleAPI(context)) {
            let store = context.store
            let isSetUp = try store.read { tx in try tx.operators.all().contains { $0.passwordHash != nil } }
            guard !isSetUp else { return nil }
            let link = try store.batch(at: SystemClock().now, once: true) { tx in
                try OperatorLink.make(of: OperatorLink.firstName, role: .admin, in: tx)
            }
            return link.url(at: run.consoleURL)
        }
    }
}
