/// The progress of setting up a new installation.
package struct GuideTable: TransactionTable {
    let transaction: Transaction

    /// Returns five values: whether there is a product, a registered device, a report, a binding, and a completed
    /// command.
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
