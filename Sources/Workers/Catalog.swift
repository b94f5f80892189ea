import Domain
import Storage

/// Products and apps, kept in memory until an operator changes one.
struct Catalog {
    private var epoch: Int64 = -1
    private var products: [ProductKey: Product] = [:]
    private var apps: [AppID: App] = [:]

    /// Reloads products and apps if the catalog changed; otherwise reads only its epoch.
    mutating func update(in tx: Transaction) throws {
        let epoch = try tx.meta.catalogEpoch()
        guard epoch != self.epoch else { return }
        products = Dictionary(try tx.products.all().map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        apps = Dictionary(try tx.apps.all().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.epoch = epoch
    }

    /// Returns a product, or nil.
    func product(_ key: ProductKey) -> Product? { products[key] }
    /// Returns an app, or nil.
    func app(_ id: AppID) -> App? { apps[id] }
}
