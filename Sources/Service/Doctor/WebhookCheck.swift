import Domain
import Files
import PostgreSQL
import Problems
import Storage

/// The check that all webhooks accept their events.
struct WebhookCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store if the check runs in the service's process; nil if the check must open the store.
    var store: Store?

    private var subject: String { place.database?.place ?? directory.database }

    func run() -> Finding {
        let check = Check(.doctorWebhooks, "webhooks accept their events")
        do {
            let all = try (store ?? StoreAccess.tool(directory, place)).read { try $0.eventSubscriptions.all() }
            let webhooks = all.filter { $0.url != nil }
            let failing = webhooks.filter { $0.state == .disabled || $0.state == .on && $0.failingSince != nil }
            guard let first = failing.first else {
                return check(.pass, subject, evidence: "\(webhooks.count) webhooks, none fails")
            }
            return check(
                .warn,
                subject,
                evidence:
                    "\(failing.count) of \(webhooks.count) webhooks fail; \(first.name) of \(first.app.text): \(first.reason ?? first.lastError ?? "")",
                cure: "repair the receiver; a disabled webhook continues at its cursor once it is enabled",
                command: "lamplighter events list --data '\(directory.path)'"
            )
        } catch {
            return check.skipped(subject, because: error)
        }
    }
}
