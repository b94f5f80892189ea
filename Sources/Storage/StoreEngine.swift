/// The database behind a store: an SQLite file or a PostgreSQL database.
enum StoreEngine: Sendable {
    case sqlite(SQLiteFile)
    case postgres(PostgresDatabase)

    /// Waits for a free connection that can write, and lends it to `body` for any number of transactions.
    func write<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let file): try file.write(body)
        case .postgres(let database): try database.write(body)
        }
    }

    /// Lends `body` a connection for write transactions whose commits don't need to wait for the disk.
    func writeWithoutSync(_ body: (SQL) throws -> Void) throws {
        switch self {
        case .sqlite(let file): try file.writeWithoutSync(body)
        case .postgres(let database): try database.write(body)
        }
    }

    /// Lends `body` a connection that reads one committed state of the database.
    func read<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let file): try file.read(body)
        case .postgres(let database): try database.read(body)
        }
    }

    /// Waits a while for an unreachable database server, or returns at once if the store is a file.
    func awaitServer() {
        if case .postgres(let database) = self { database.awaitServer() }
    }

    /// Whether `migrate --to` has begun to fill the database but has not finished.
    var isHalfMoved: Bool {
        get throws {
            switch self {
            case .sqlite(let file): try file.hasTable("moving")
            case .postgres(let database): try database.with { try PostgresMigrations.has("moving", $0) }
            }
        }
    }

    /// Migrates the tables if `migrates` is true, and checks settings.
    ///
    /// Throws `Store.Failure` or an error of `beforeMigrating`.
    func prepare(migrates: Bool, steps: [Migrations.Step], beforeMigrating: () throws -> Void) throws {
        switch self {
        case .sqlite(let file): try file.prepare(migrates: migrates, steps: steps, beforeMigrating: beforeMigrating)
        case .postgres(let database):
            try database.opening {
                try database.with { connection in
                    try PostgresMigrations(connection, database).run(
                        steps,
                        migrates: migrates,
                        beforeMigrating: beforeMigrating
                    )
                }
            }
        }
    }
}
