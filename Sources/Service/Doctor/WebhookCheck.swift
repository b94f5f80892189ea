import Domain
import Files
import PostgreSQL
import Problems
import Storage

/// The check that all webhooks take their events.
struct WebhookCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store when the check runs in the service; nil to open the store.
    var store: Store?

    private var subject: String { place.database?.place ?? directory.database }

    func run() -> Finding {
        let check = Check(.doctorWebhooks, "webhooks take their events")
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
                cure: "mend the receiver; a disabled webhook goes on at its cursor once it is switched on",
                command: "lamplighter events list --data '\(directory.path)'"
            )
        } catch {
            return check.skipped(subject, because: error)
        }
    }
}
