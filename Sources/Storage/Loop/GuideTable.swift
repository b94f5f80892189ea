/// The progress of a new installation, found by queries that each stop at the first row.
package struct GuideTable: TransactionTable {
    let transaction: Transaction

    /// Returns whether there is a product, a registered device, a report, a binding and a completed command, in this
    /// order.
    package func steps() throws -> [Bool] {
        try [
            "SELECT 1 FROM product LIMIT 1",
            "SELECT 1 FROM device WHERE registeredAt IS NOT NULL LIMIT 1",
            "SELECT 1 FROM status WHERE attributes <> '{}' LIMIT 1",
            "SELECT 1 FROM binding LIMIT 1",
            "SELECT 1 FROM command WHERE state = 'done' LIMIT 1",
        ].map { try sql.integer($0) != nil }
    }
}
