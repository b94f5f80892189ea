package import Domain

/// The number of all devices of a product, and the number of its connected devices.
package struct ProductCount: Sendable, Equatable {
    /// The product.
    package var product: ProductKey
    /// The number of all devices of the product.
    package var total: Int64
    /// The number of connected devices of the product.
    package var online: Int64
}

extension StatusTable {
    // Each of the following two queries reads one whole index, but no rows. A test checks this.
    static let countByProduct = "SELECT productKey, count(*) FROM device GROUP BY productKey"
    static let onlineByProduct = "SELECT productKey, count(*) FROM status WHERE online = 1 GROUP BY productKey"

    /// Returns the device counts of each product that has at least one device.
    package func countsByProduct() throws -> [ProductCount] {
        var online: [ProductKey: Int64] = [:]
        for (product, count) in try counts(Self.onlineByProduct) { online[product] = count }
        return try counts(Self.countByProduct).map { product, total in
            ProductCount(product: product, total: total, online: online[product] ?? 0)
        }
    }

    private func counts(_ query: String) throws -> [(ProductKey, Int64)] {
        try sql.query(query) { ($0.next(), $0.next()) }
    }
}
