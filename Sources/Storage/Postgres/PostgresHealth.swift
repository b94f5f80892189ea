/// The state of a database server, for `doctor`.
package struct DatabaseHealth: Sendable {
    /// A standby server.
    package struct Standby: Sendable {
        /// The standby's name.
        package let name: String
        /// Whether commits wait for the standby.
        package let isSynchronous: Bool
        /// How many bytes of the log the standby hasn't applied yet, or nil if the database user may not see this.
        package let bytesBehind: Int64?
    }

    /// A table with many replaced or deleted rows that have not been vacuumed yet.
    package struct Bloat: Sendable {
        /// The table's name.
        package let table: String
        /// The number of dead rows.
        package let dead: Int64
        /// The number of live rows.
        package let live: Int64
    }

    /// The standby servers.
    package let standbys: [Standby]
    /// Whether confirmed commits survive a power loss (`fsync`, `full_page_writes`).
    package let isDurable: Bool
    /// The oldest open transaction's age in seconds, and the id of its server process.
    package let oldestTransaction: (seconds: Int64, pid: Int64)
    /// The tables with over 10,000 dead rows and more dead rows than live rows.
    package let bloat: [Bloat]
    /// The number of connections to the server, and the largest number that the server allows.
    package let connections: (used: Int64, max: Int64)
}

extension Store {
    /// Returns the database server's state, or nil if the store is a file.
    package func databaseHealth() throws -> DatabaseHealth? {
        try server?.read { sql in
            DatabaseHealth(
                standbys: try Self.standbys(sql),
                isDurable: try sql.integer(
                    "SELECT count(*) FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'on'"
                ) == 2,
                oldestTransaction: try Self.oldestTransaction(sql),
                bloat: try Self.bloat(sql),
                connections: (
                    used: try sql.integer("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
                        ?? 0,
                    max: try sql.integer(
                        """
                        SELECT CAST(current_setting('max_connections') AS BIGINT)
                            - CAST(current_setting('superuser_reserved_connections') AS BIGINT)
                        """
                    ) ?? 0
                )
            )
        }
    }

    private static func standbys(_ sql: SQL) throws -> [DatabaseHealth.Standby] {
        try sql.query(
            """
            SELECT coalesce(application_name, ''), coalesce(sync_state IN ('sync', 'quorum'), false),
                CAST(pg_current_wal_lsn() - replay_lsn AS BIGINT)
            FROM pg_stat_replication
            """
        ) { DatabaseHealth.Standby(name: $0.next(), isSynchronous: $0.next(), bytesBehind: $0.next()) }
    }

    private static func oldestTransaction(_ sql: SQL) throws -> (seconds: Int64, pid: Int64) {
        try sql.first(
            """
            SELECT CAST(extract(epoch FROM clock_timestamp() - xact_start) AS BIGINT), pid
            FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
            ORDER BY xact_start LIMIT 1
            """
        ) { (seconds: $0.next(), pid: $0.next()) } ?? (0, 0)
    }

    private static func bloat(_ sql: SQL) throws -> [DatabaseHealth.Bloat] {
        try sql.query(
            """
            SELECT CAST(relname AS TEXT), n_dead_tup, n_live_tup FROM pg_stat_user_tables
            WHERE n_dead_tup > 10000 AND n_dead_tup > n_live_tup ORDER BY n_dead_tup DESC
            """
        ) { DatabaseHealth.Bloat(table: $0.next(), dead: $0.next(), live: $0.next()) }
    }
}
