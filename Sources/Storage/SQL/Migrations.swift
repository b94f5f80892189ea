import SQLite

/// The steps that bring a database to this version's tables; each step runs once, and new steps are only appended.
///
/// The first step is `database.sql`, and later steps change its tables. `schemas/database.sql` shows the result of all
/// steps, which a test checks.
enum Migrations {
    /// One step: its name, which never changes, and its statements.
    typealias Step = (name: String, sql: String)

    /// All steps, in order.
    static let steps: [Step] = [
        ("baseline", String(decoding: PackageResources.database_sql, as: UTF8.self)), ("deviceNames", deviceNames),
        ("apiKeys", apiKeys), ("eventLog", eventLog),
    ]

    /// The step that adds the names that operators give devices, and the devices' tags.
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

    /// The step that adds the API keys of makers' servers, and the users for whom such a key sent commands.
    private static let apiKeys = """
        ALTER TABLE command ADD COLUMN uid TEXT;

        CREATE TABLE apiKey (
            keyId TEXT NOT NULL PRIMARY KEY,
            appId TEXT NOT NULL,
            name TEXT NOT NULL,
            terminalId TEXT NOT NULL,
            scopes TEXT NOT NULL,
            tokenHash BLOB NOT NULL,
            oldTokenHash BLOB,
            oldTokenUntil INTEGER,
            createdAt INTEGER NOT NULL,
            expiresAt INTEGER,
            lastSeenAt INTEGER,
            endedAt INTEGER
        ) STRICT;

        CREATE UNIQUE INDEX apiKeyToken ON apiKey (tokenHash);

        CREATE UNIQUE INDEX apiKeyOldToken ON apiKey (oldTokenHash) WHERE oldTokenHash IS NOT NULL;

        CREATE UNIQUE INDEX apiKeyTerminal ON apiKey (terminalId);

        CREATE UNIQUE INDEX apiKeyName ON apiKey (appId, name) WHERE endedAt IS NULL;

        CREATE INDEX apiKeyExpiry ON apiKey (expiresAt) WHERE endedAt IS NULL AND expiresAt IS NOT NULL;

        CREATE INDEX apiKeyEnded ON apiKey (endedAt) WHERE endedAt IS NOT NULL;
        """

    /// The step that adds the event log and the subscriptions to it.
    private static let eventLog = """
        CREATE TABLE eventLog (
            xid INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            bulk INTEGER NOT NULL,
            count INTEGER NOT NULL,
            createdAt INTEGER NOT NULL,
            messages BLOB NOT NULL,
            PRIMARY KEY (xid, seq)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE eventSubscription (
            subscriptionId TEXT NOT NULL PRIMARY KEY,
            appId TEXT NOT NULL,
            keyId TEXT,
            name TEXT NOT NULL,
            types TEXT NOT NULL,
            productKeys TEXT NOT NULL,
            dids TEXT NOT NULL,
            bulk INTEGER NOT NULL,
            url TEXT,
            batch INTEGER NOT NULL,
            secret BLOB,
            oldSecret BLOB,
            oldSecretUntil INTEGER,
            cursor TEXT NOT NULL,
            state TEXT NOT NULL,
            reason TEXT,
            tries INTEGER NOT NULL,
            dueAt INTEGER,
            failingSince INTEGER,
            lastOkAt INTEGER,
            lastError TEXT,
            createdAt INTEGER NOT NULL,
            deliveries TEXT NOT NULL DEFAULT '[]'
        ) STRICT;

        CREATE INDEX eventSubscriptionApp ON eventSubscription (appId, createdAt);
        """

    /// The number of steps that the previous version knew.
    ///
    /// If several processes share a database, processes of the previous version can run at the same time as this
    /// version's. The number must be raised with each release.
    static let versionBefore = 1

    /// The first step of databases that were made before the first release.
    static let unreleased = "001-main-path"

    /// The table with the names of the steps that a database has run; its name comes from the library that first
    /// created it.
    private static let table = "grdb_migrations"

    /// Returns the steps that a database has run; a new database has run none.
    static func applied(_ database: SQLiteConnection) throws -> Set<String> {
        guard try database.hasTable(table) else { return [] }
        return Set(try database.texts("SELECT identifier FROM \(table)").compactMap(\.self))
    }

    /// Runs the steps that a database has not run yet, each in a transaction that fails if it leaves a reference to a
    /// missing row.
    static func run(_ steps: [Step], in database: SQLiteConnection) throws {
        try database.execute("CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
        // References aren't checked at once, since a step may replace tables that others refer to.
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
