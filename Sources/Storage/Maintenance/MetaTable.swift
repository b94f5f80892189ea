/// Facts about the installation as a whole, by name.
package struct MetaTable {
    let sql: SQL
    /// The cache of the store's writer, or nil in a read-only transaction.
    let cache: WriterCache?

    /// Returns a fact, or nil if no fact has this name.
    package func value(_ name: String) throws -> String? {
        try sql.value("SELECT value FROM meta WHERE name = $1", name)
    }

    /// Sets a fact.
    package func set(_ name: String, to value: String) throws {
        try sql.run(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value
        )
    }

    /// Locks a fact until the transaction's end, or returns false if the fact no longer has the given value.
    package func hold(_ name: String, at value: String) throws -> Bool {
        try sql.rowsChanged("UPDATE meta SET value = value WHERE name = $1 AND value = $2", name, value) == 1
    }

    /// Records that an erased account may have left traces, which `Store.vacuumErased` removes.
    func requestVacuum(_ mark: Int64) throws {
        try set("vacuumErased", to: "\(mark)")
    }

    /// Returns the last erasure's mark if `Store.vacuumErased` must still run, and otherwise nil.
    package func pendingVacuum() throws -> String? { try value("vacuumErased") }

    /// Removes the mark of an erasure, unless another account was erased meanwhile.
    func confirmVacuum(_ mark: String) throws {
        try sql.run("DELETE FROM meta WHERE name = 'vacuumErased' AND value = $1", mark)
    }

    /// Returns the catalog's number, which grows with each change to the data that workers cache.
    package func catalogEpoch() throws -> Int64 {
        if let known = cache?.catalogEpoch { return known }
        let query = "SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'catalogEpoch'"
        let epoch = try sql.integer(query) ?? 0
        cache?.catalogEpoch = epoch
        return epoch
    }

    func raiseCatalogEpoch() throws {
        // A single statement raises the number. So two simultaneous changes get different numbers.
        try sql.run(
            """
            INSERT INTO meta (name, value) VALUES ('catalogEpoch', '1') ON CONFLICT (name)
            DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT)
            """
        )
        cache?.catalogEpoch = nil
    }
}
