import GRDB

/// The database's past, step by step: append only, each step runs once.
///
/// The tables are written with tokens for what the engines spell differently (`{int}`, `{serial}`,
/// `{double}`, `{bytes}`, `{strict}`); `schemas/database.sql` is their dump, kept true by a test.
enum Migrations {
    /// All steps, in order.
    static let steps: [(name: String, sql: String)] = [
        ("001-main-path", Schema001.sql),
        ("002-accounts", Schema002.sql),
        ("003-delivery", Schema003.sql),
        ("004-sessions", Schema004.sql),
        ("005-history", Schema005.sql),
        ("006-devices", Schema006.sql),
        ("007-records", Schema007.sql),
        ("008-schedules", Schema008.sql),
        ("009-addresses", Schema009.sql),
        ("010-address-age", Schema010.sql),
        ("011-sent-again", Schema011.sql), ("012-in-order", Schema012.sql),
        ("013-fewer-indexes", Schema013.sql), ("014-listening", Schema014.sql),
        ("015-first-life", Schema015.sql), ("016-turned-away", Schema016.sql),
        ("017-counts", Schema017.sql), ("018-pending-addresses", Schema018.sql),
        ("019-history-use", Schema019.sql),
        ("020-refusals", Schema020.sql),
        ("021-names", Schema021.sql),
    ]

    static func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for step in steps {
            migrator.registerMigration(step.name) { database in
                try database.execute(sql: forSQLite(step.sql))
            }
        }
        return migrator
    }

    private static func forSQLite(_ template: String) -> String {
        [
            ("{int}", "INTEGER"), ("{double}", "REAL"), ("{bytes}", "BLOB"), ("{strict}", "STRICT"),
            ("{serial}", "INTEGER NOT NULL PRIMARY KEY"),
        ].reduce(template) { sql, token in
            sql.split(separator: token.0, omittingEmptySubsequences: false)
                .joined(separator: token.1)
        }
    }
}
