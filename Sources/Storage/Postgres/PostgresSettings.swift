import Domain
import Glibc
import PostgreSQL

/// The settings of a connection on which order, texts and durability depend, set when it opens and read back.
enum PostgresSettings {
    /// A setting, and its allowed values.
    struct Setting {
        let name: String
        let wanted: [String]
        /// The expression that reads it.
        let query: String

        /// Describes a setting, read with `current_setting` by default.
        init(_ name: String, _ wanted: String..., query: String? = nil) {
            self.name = name
            self.wanted = wanted
            self.query = query ?? "current_setting('\(name)')"
        }
    }

    /// All settings: a transaction of a frozen process ends after 2 s, a wait for a lock after 5 s, and a statement
    /// after 15 s.
    static let all = [
        Setting("server_encoding", "UTF8"), Setting("lc_collate", "C", "POSIX", query: database("datcollate")),
        Setting("locale provider", "c", query: database("datlocprovider")),
        Setting("synchronous_commit", "on", "remote_apply"),
        Setting("idle_in_transaction_session_timeout", "2s"),
        Setting("lock_timeout", "5s"),
        Setting("statement_timeout", "15s"),
    ]

    private static func database(_ column: String) -> String {
        "(SELECT CAST(\(column) AS TEXT) FROM pg_database WHERE datname = current_database())"
    }

    /// The statements that make the settings; a stricter value on the server is kept.
    ///
    /// The server must notice within 5 s that a process's machine is gone, and within 1 s that the process itself is
    /// gone, even while the server runs its statement: others may wait for its sessions to end.
    private static let set = """
        SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') <> 'remote_apply';
        SET idle_in_transaction_session_timeout = '2s';
        SET lock_timeout = '5s';
        SET statement_timeout = '15s';
        SET tcp_keepalives_idle = 2;
        SET tcp_keepalives_interval = 1;
        SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = '5s';
        SET client_connection_check_interval = '1s';
        SET default_transaction_isolation = 'read committed'
        """

    /// Returns the name of a process's sessions on the server; the process that takes over its lanes ends them by this
    /// name.
    static func name(of processID: String) -> String { "lamplighter \(processID)" }

    /// Applies the settings to a new connection and reads them back.
    ///
    /// - Throws: `Store.Failure.wrongSetting`.
    static func apply(to connection: PostgresConnection) throws {
        try connection.execute(set)
        for (setting, value) in zip(all, try read(connection)) where !setting.wanted.contains(value) {
            throw Store.Failure.wrongSetting(
                name: setting.name,
                value: value,
                wanted: setting.wanted.joined(separator: " or ")
            )
        }
    }

    /// Returns the values, in the order of `all`.
    static func read(_ connection: PostgresConnection) throws -> [String] {
        let queries = all.map(\.query).joined(separator: ", ")
        return try connection.execute("SELECT \(queries)").texts
    }

    /// Refuses a server whose clock differs too much from ours.
    static func checkClock(_ connection: PostgresConnection) throws {
        let before = now
        let query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        guard let text = try connection.execute(query).texts.first, let theirs = Int64(text) else { return }
        let after = now
        // The server answered at some time between the two.
        let off = theirs < before ? theirs - before : max(0, theirs - after)
        guard abs(off) <= Instant.clockOffMax else { throw Store.Failure.wrongClock(milliseconds: off) }
    }

    /// Milliseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
