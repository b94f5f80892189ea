import GRDB

/// The steps that bring a database to this version's tables: append only, each runs once.
///
/// The first one is `database.sql`; what it made is changed by a step of its own behind it. `schemas/database.sql` shows
/// what all steps make, and a test compares.
enum Migrations {
    /// One step: its name, which stays for ever, and its statements.
    typealias Step = (name: String, sql: String)

    /// All steps, in order.
    static let steps: [Step] = [
        ("baseline", String(decoding: PackageResources.database_sql, as: UTF8.self)),
        ("deviceNames", deviceNames),
    ]

    /// Operators' names of devices, and their tags, found by name and value.
    private static let deviceNames = """
        ALTER TABLE device ADD COLUMN name TEXT NOT NULL DEFAULT '';

        CREATE TABLE tag (
            did TEXT NOT NULL,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (did, name)
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX tagDevices ON tag (name, value, did);
        """

    /// How many steps the version before this one knew.
    ///
    /// Its processes may run beside this version's, where several use one database. Raised with each release.
    static let versionBefore = 1

    /// The first step of databases that were made before the first release.
    private static let unreleased = "001-main-path"

    /// Returns what carries out steps; tests give later ones than there are.
    static func migrator(_ steps: [Step] = steps) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for step in steps {
            migrator.registerMigration(step.name) { database in
                try database.execute(sql: step.sql)
            }
        }
        return migrator
    }

    /// Returns whether a database of an older version has steps before it; a new one has nothing to lose.
    static func isPending(_ migrator: DatabaseMigrator, _ database: Database) throws -> Bool {
        guard try !migrator.appliedIdentifiers(database).isEmpty else { return false }
        return try !migrator.hasCompletedMigrations(database)
    }

    /// Returns whether a database was made before the first release; nothing brings it to the present tables.
    static func isUnreleased(_ database: Database) throws -> Bool {
        try migrator().appliedIdentifiers(database).contains(unreleased)
    }
}
