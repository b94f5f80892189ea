import GRDB

/// The steps that bring a database to this version's tables: append only, each runs once.
///
/// The first step is `database.sql`; later steps change its tables. `schemas/database.sql` shows
/// the result of all steps, which a test compares.
enum Migrations {
    /// One step: its name, which never changes, and its statements.
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

    /// How many steps the previous version knew.
    ///
    /// Its processes can run beside this version's if several use one database. Raised with each
    /// release.
    static let versionBefore = 1

    /// The first step of databases that were made before the first release.
    private static let unreleased = "001-main-path"

    /// Returns the migrator for some steps; tests pass additional ones.
    static func migrator(_ steps: [Step] = steps) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for step in steps {
            migrator.registerMigration(step.name) { database in
                try database.execute(sql: step.sql)
            }
        }
        return migrator
    }

    /// Returns whether a database of an older version has pending steps; a new database has nothing
    /// to lose.
    static func isPending(_ migrator: DatabaseMigrator, _ database: Database) throws -> Bool {
        guard try !migrator.appliedIdentifiers(database).isEmpty else { return false }
        return try !migrator.hasCompletedMigrations(database)
    }

    /// Returns whether a database was made before the first release, and so can't be migrated.
    static func isUnreleased(_ database: Database) throws -> Bool {
        try migrator().appliedIdentifiers(database).contains(unreleased)
    }
}
