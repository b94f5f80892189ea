/// The PostgreSQL-only parts of tables: partitions, and settings for storage and vacuum.
enum PostgresTables {
    /// The length of a partition of `history`, in milliseconds: a week.
    static let partitionMilliseconds: Int64 = 7 * 86_400_000

    /// Tables with short-lived rows, which are vacuumed after every thousand dead rows.
    static let queues = ["attempt", "dispatch", "historyBuffer", "inbox", "outbox", "refresh", "request", "waiter"]

    /// Returns a migration step's statements, extended by the parts that only PostgreSQL has.
    ///
    /// If no partition covers the time of a row of `history`, the row is stored in the default partition. A wrong clock
    /// can cause such times.
    static func extended(_ statements: String) -> String {
        statements.replacing(
            "PRIMARY KEY (did, fromTs, seq)\n);",
            with: """
                PRIMARY KEY (did, fromTs, seq)
                ) PARTITION BY RANGE (fromTs);

                CREATE TABLE history_other PARTITION OF history DEFAULT;
                """
        )
    }

    /// Statements that set how rows are stored and vacuumed; running them again does no harm.
    static var storage: String {
        let queues = queues.map { table in
            """
            ALTER TABLE \(table) SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                autovacuum_vacuum_cost_delay = 0);
            """
        }
        // Each page has space for new versions of its rows. So updates change no index and need no vacuum.
        return (queues + ["ALTER TABLE status SET (fillfactor = 70);"]).joined(separator: "\n")
    }

    /// Returns the partition of the week that contains a given moment, in milliseconds since 1970.
    static func partition(at moment: Int64) -> (name: String, from: Int64, to: Int64) {
        let number = Int64((Double(moment) / Double(partitionMilliseconds)).rounded(.down))
        let from = number * partitionMilliseconds
        return ("history_w\(number)", from, from + partitionMilliseconds)
    }

    /// Returns the statement that creates the partition for a moment's week (ms since 1970).
    static func making(at moment: Int64) -> String {
        let (name, from, to) = partition(at: moment)
        return
            "CREATE TABLE \(name) PARTITION OF history FOR VALUES FROM (\(from)) TO (\(to))"
    }
}
