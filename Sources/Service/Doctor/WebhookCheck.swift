import Domain
import Files
import PostgreSQL
import Problems
import Storage
import Workers

/// The check that all webhooks accept their events, and that no subscription is far behind.
struct WebhookCheck {
    let directory: DataDirectory
    let place: StorePlace
    /// The service's own store, or nil if the check must open the store.
    var store: Store?

    private var subject: String { place.database?.place ?? directory.database }

    func run() -> Finding {
        let check = Check(.doctorWebhooks, "webhooks accept their events")
        let list = "lamplighter events list --data '\(directory.path)'"
        do {
            let (all, behind) = try (store ?? StoreAccess.tool(directory, place)).read(at: SystemClock().now) { tx in
                let all = try tx.eventSubscriptions.all()
                let behind = try all.first {
                    try $0.state == .on && $0.behind(in: tx) > EventSubscription.behindMax
                }
                return (all, behind)
            }
            let webhooks = all.filter { $0.url != nil }
            let failing = webhooks.filter { $0.state == .disabled || $0.state == .on && $0.failingSince != nil }
            guard let first = failing.first else {
                guard let behind else {
                    return check(.pass, subject, found: "\(webhooks.count) webhooks, none fails")
                }
                let (name, app) = (behind.name, behind.app.text)
                return check(.warn, subject, found: "the subscription \(name) of \(app) is more than 5 minutes behind")
                    .cured(by: "make its server read and acknowledge events, or pause the subscription", list)
            }
            let evidence: FindingText = """
                \(failing.count) of \(webhooks.count) webhooks fail; \(first.name) of \(first.app.text): \
                \(first.reason ?? first.lastError ?? "")
                """
            return check(.warn, subject, found: evidence)
                .cured(by: "repair the receiver; a disabled webhook continues at its cursor once it is enabled", list)
        } catch {
            return check.skipped(subject, because: error)
        }
    }
}
