import SQLite

/// An append-only list of the steps that lead to this version's tables.
///
/// The first step is `database.sql`, and the folder `Migrations` contains the other steps. A test checks that
/// `schemas/database.sql` shows the result of all steps.
enum Migrations {
    /// One step: its name, which never changes, and its statements.
    typealias Step = (name: String, sql: String)

    /// All steps, in order.
    static let steps: [Step] = [
        ("baseline", PackageResources.database_sql),
        // The names that operators give to devices, and the tags of devices.
        ("deviceNames", PackageResources.deviceNames_sql),
        // The API keys of makers' servers, and the users for whom such a key sent commands.
        ("apiKeys", PackageResources.apiKeys_sql),
        // The event log and the subscriptions to it.
        ("eventLog", PackageResources.eventLog_sql),
        // OAuth clients, their tokens, and the sessions of linked services.
        ("oauth", PackageResources.oauth_sql),
        // The devices that were announced to users' Home Assistants.
        ("homeAssistant", PackageResources.homeAssistant_sql),
        // Notifications, their settings, and the push addresses of terminals.
        ("notifications", PackageResources.notifications_sql),
        // A column for the terminal that gets a push, and a column for the secrets in an app's document.
        ("push", PackageResources.push_sql),
    ].map { ($0, String(decoding: $1, as: UTF8.self)) }

    /// The number of steps that the previous version knew.
    ///
    /// If processes share a database, the previous version can run beside this version. The number must be raised with
    /// each release.
    static let versionBefore = 1

    /// The first step of databases that were made before the first release.
    static let unreleased = "001-main-path"

    /// The table that lists the steps already run; its name comes from GRDB, the library that first created it.
    private static let table = "grdb_migrations"

    /// Returns the names of the steps that a database has already run.
    static func applied(_ database: SQLiteConnection) throws -> Set<String> {
        guard try database.hasTable(table) else { return [] }
        return Set(try database.texts("SELECT identifier FROM \(table)").compactMap(\.self))
    }

    /// Runs each missing step as a transaction, which fails if a reference is broken.
    static func run(_ steps: [Step], in database: SQLiteConnection) throws {
        try database.execute("CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
        // A step can replace tables to which other tables refer, so references aren't checked while a step runs.
        try database.execute("PRAGMA foreign_keys = OFF")
        defer { try? database.execute("PRAGMA foreign_keys = ON") }
        for step in steps {
            try database.transaction {
                guard try !applied(database).contains(step.name) else { return }
                try database.execute(step.sql)
                let strays = try database.integer("SELECT count(*) FROM pragma_foreign_key_check")
                guard strays == 0 else { throw SQLiteError.missingReference }
                _ = try database.texts("INSERT INTO \(table) VALUES (?)", step.name)
            }
        }
    }
}
