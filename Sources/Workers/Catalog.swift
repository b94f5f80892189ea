import Domain
import Storage

/// Products and apps, and whether a reader of the event log wants statuses, kept in memory until one changes.
struct Catalog {
    private var epoch: Int64 = -1
    private var products: [ProductKey: Product] = [:]
    private var apps: [AppID: App] = [:]
    /// Until when the event log keeps statuses; nil if no reader wants them.
    private var statusesUntil: Instant?

    /// Reloads products and apps if the catalog changed; otherwise reads only its epoch.
    mutating func update(in tx: Transaction) throws {
        let epoch = try tx.meta.catalogEpoch()
        guard epoch != self.epoch else { return }
        products = Dictionary(try tx.products.all().map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        apps = Dictionary(try tx.apps.all().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        statusesUntil = try tx.eventLog.statusesWantedUntil()
        self.epoch = epoch
    }

    /// Returns a product, or nil.
    func product(_ key: ProductKey) -> Product? { products[key] }
    /// Returns whether the event log keeps statuses at a moment.
    func keepsStatuses(at now: Instant) -> Bool { statusesUntil.map { $0 > now } ?? false }
    /// Returns an app, or nil.
    func app(_ id: AppID) -> App? { apps[id] }
}
