import Credentials
package import Domain
import JSON
import Sodium

/// Products as operators imported them.
package struct ProductTable: TransactionTable {
    let transaction: Transaction

    /// Returns all products, sorted by name.
    package func all() throws -> [Product] {
        try sql.rows(of: ProductRow.table, "ORDER BY name, productKey").map(Self.product)
    }

    /// Returns one product; nil if there is no such product.
    package func find(_ key: ProductKey) throws -> Product? {
        try sql.find(ProductRow.table, key).map(Self.product)
    }

    private static func product(_ row: ProductRow) throws -> Product {
        guard let object = try JSONValue.parse(row.document.bytes).objectValue else {
            throw Rejection(.internal, "A stored product document is not an object.")
        }
        return try ProductCodec.decode(object)
    }

    /// Stores a new product or a new version, and the secret's hash if a secret is given.
    package func save(_ product: Product, secret: String?) throws {
        let hash = secret.map { Sodium.sha256($0.utf8) }
        let row = ProductRow(
            key: product.key,
            name: product.name,
            document: TextBytes(ProductCodec.encode(product).encoded()),
            secretHash: hash ?? [],
            createdAt: now,
            updatedAt: now
        )
        try sql.run(hash == nil ? ProductRow.save : ProductRow.saveWithSecret, row)
        if let digest = hash.flatMap({ Digest($0) }) {
            transaction.gate.records.append(.product(key: product.key.text, secret: digest))
        }
        try transaction.meta.raiseCatalogEpoch()
    }

    /// Returns whether a secret belongs to a product (false for unknown products).
    package func hasSecret(_ key: ProductKey, _ secret: String) throws -> Bool {
        let hash = try sql.first("SELECT secretHash FROM product WHERE productKey = $1", key) { $0.next([UInt8].self) }
        return Sodium.areEqual(hash ?? [UInt8](repeating: 0, count: 32), Sodium.sha256(secret.utf8))
    }

    /// Returns the number of a product's devices.
    package func deviceCount(_ key: ProductKey) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM device WHERE productKey = $1", key) ?? 0
    }

    /// Returns when a product was first and last imported, or nil if never.
    package func stamps(_ key: ProductKey) throws -> (createdAt: Instant, updatedAt: Instant)? {
        try sql.find(ProductRow.table, key).map { ($0.createdAt, $0.updatedAt) }
    }

    /// Returns, for each attribute, how many of a product's devices have reported it.
    package func pointCounts(_ key: ProductKey) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        try sql.scan("SELECT attributes FROM status WHERE productKey = $1", key) { row in
            for value in row.next(StatusAttributes.self).values {
                counts[value.name, default: 0] += 1
            }
            return true
        }
        return counts
    }

    /// Returns the MACs listed for a product by operators, in ascending order, starting after `mac`.
    package func macs(_ key: ProductKey, after mac: String, limit: Int) throws -> [MAC] {
        try sql.values(
            "SELECT mac FROM listedMac WHERE productKey = $1 AND mac > $2 ORDER BY mac LIMIT $3",
            key,
            mac,
            limit
        )
    }

    /// Returns the number of MACs that operators listed for a product.
    package func macCount(_ key: ProductKey) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM listedMac WHERE productKey = $1", key) ?? 0
    }

    /// Returns whether any device has a stored value for at least one of the attributes.
    package func isUsed(_ key: ProductKey, attributes: [String]) throws -> Bool {
        let wanted = Set(attributes)
        let states = try sql.query("SELECT attributes FROM status WHERE productKey = $1", key) {
            $0.next(StatusAttributes.self).values.contains { wanted.contains($0.name) }
        }
        return states.contains(true)
    }

    /// Returns the distinct names of a product's open alerts and faults that `isWanted` accepts.
    package func openConditions(_ key: ProductKey, where isWanted: (ConditionKind, String) -> Bool) throws -> [String] {
        var names: Set<String> = []
        let states = try sql.query("SELECT conditions FROM status WHERE productKey = $1 AND conditions <> '[]'", key) {
            $0.next(StatusConditions.self).open
        }
        for condition in states.joined() where isWanted(condition.kind, condition.name) {
            names.insert(condition.name)
        }
        return names.sorted()
    }

    /// Returns whether an operator listed a MAC for a product.
    package func isListed(_ key: ProductKey, _ mac: MAC) throws -> Bool {
        try sql.integer("SELECT 1 FROM listedMac WHERE productKey = $1 AND mac = $2", key, mac)
            != nil
    }

    /// Adds MACs to a product's list of devices that are allowed to register.
    package func list(_ key: ProductKey, _ macs: [MAC]) throws {
        try sql.run(
            "INSERT INTO listedMac (productKey, mac) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            each: macs
        ) { (key, $0) }
    }
}

/// A stored product: its document, and the hash of its secret.
struct ProductRow: TableRow {
    var key: ProductKey
    var name: String
    var document: TextBytes
    /// The hash of the product's secret, empty if the product has no secret.
    var secretHash: [UInt8]
    var createdAt: Instant
    var updatedAt: Instant

    static let table = Table<ProductRow>("product")
    /// The statement that inserts a row, or updates the existing row except for its secret.
    static let save = table.upsert
    /// The statement that inserts a row, or updates the existing row including its secret.
    static let saveWithSecret = table.upserting([.changing, .apart])

    static func map(_ column: inout ColumnMapper<ProductRow>) -> ProductRow {
        ProductRow(
            key: column("productKey", \.key, as: .key),
            name: column("name", \.name, as: .changing),
            document: column("document", \.document, as: .changing),
            secretHash: column("secretHash", \.secretHash, as: .apart),
            createdAt: column("createdAt", \.createdAt),
            updatedAt: column("updatedAt", \.updatedAt, as: .changing)
        )
    }
}
