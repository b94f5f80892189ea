import Domain
import Glibc
import PostgreSQL

/// The connections' settings for sorting, strings, durability and time limits, checked on each new connection.
enum PostgresSettings {
    /// A setting, and its allowed values.
    struct Setting {
        let name: String
        let wanted: [String]
        /// The SQL expression that reads the setting.
        let query: String

        /// Describes a setting, which by default is read with `current_setting`.
        init(_ name: String, _ wanted: String..., query: String? = nil) {
            (self.name, self.wanted) = (name, wanted)
            self.query = query ?? "current_setting('\(name)')"
        }
    }

    /// All settings, with limits for idle transactions (2 s), locks (5 s) and statements (15 s).
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

    /// The statements that set the settings, but keep a stricter `synchronous_commit` of the server.
    ///
    /// Within 5 s, the server notices that a process's machine can't be reached. Within 1 s, it notices a process's
    /// end, even during a statement. Other processes may be waiting for the sessions of the lost process to end.
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

    /// Returns the name by which other processes find and end a process's sessions on the server.
    static func name(of processID: String) -> String { "lamplighter \(processID)" }

    /// Applies the settings to a new connection, or throws `Store.Failure.wrongSetting` if one has a wrong value.
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

    /// Returns the values of the settings, in the order of `all`.
    static func read(_ connection: PostgresConnection) throws -> [String] {
        let queries = all.map(\.query).joined(separator: ", ")
        return try connection.execute("SELECT \(queries)").texts
    }

    /// Throws an error if the server's clock differs too much from this machine's.
    static func checkClock(_ connection: PostgresConnection) throws {
        let before = now
        let query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        guard let text = try connection.execute(query).texts.first, let theirs = Int64(text) else { return }
        let after = now
        // The server read its clock at some time between `before` and `after`.
        let off = theirs < before ? theirs - before : max(0, theirs - after)
        guard abs(off) <= Instant.clockOffMax else { throw Store.Failure.wrongClock(milliseconds: off) }
    }

    /// The current time, in milliseconds since 1970.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
