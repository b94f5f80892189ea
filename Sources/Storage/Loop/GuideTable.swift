/// How far an installation is that has just begun: each question stops at the first row.
package struct GuideTable {
    let transaction: Transaction

    /// Returns whether there is a product, a device that registered, one that reported, a user who bound one, and a command
    /// that was carried out.
    package func steps() throws -> [Bool] {
        try [
            "SELECT 1 FROM product LIMIT 1",
            "SELECT 1 FROM device WHERE registeredAt IS NOT NULL LIMIT 1",
            "SELECT 1 FROM status WHERE attributes <> '{}' LIMIT 1",
            "SELECT 1 FROM binding LIMIT 1",
            "SELECT 1 FROM command WHERE state = 'done' LIMIT 1",
        ].map { try transaction.sql.integer($0) != nil }
    }
}
