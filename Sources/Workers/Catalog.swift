import Domain
import Storage

/// A cache of the products, the apps and `statusesUntil`.
struct Catalog {
    private var epoch: Int64 = -1
    private var products: [ProductKey: Product] = [:]
    private var apps: [AppID: App] = [:]
    /// The time until which the event log keeps statuses.
    ///
    /// If the time is past or nil, the event log doesn't keep statuses.
    private var statusesUntil: Instant?

    /// Reloads products and apps if the catalog's epoch has changed.
    mutating func update(in tx: Transaction) throws {
        let epoch = try tx.meta.catalogEpoch()
        guard epoch != self.epoch else { return }
        products = Dictionary(try tx.products.all().map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        apps = Dictionary(try tx.apps.all().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        statusesUntil = try tx.eventLog.statusesWantedUntil()
        self.epoch = epoch
    }

    /// Returns a product; nil if the key is unknown.
    func product(_ key: ProductKey) -> Product? { products[key] }
    /// Returns whether the event log keeps statuses at a given time.
    func keepsStatuses(at now: Instant) -> Bool { statusesUntil.map { $0 > now } ?? false }
    /// Returns an app; nil if the id is unknown.
    func app(_ id: AppID) -> App? { apps[id] }
}
