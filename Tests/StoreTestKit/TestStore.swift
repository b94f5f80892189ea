import Foundation
package import PostgreSQL
package import Sodium
package import Storage
package import TestKit
package import Testing

/// The database engine of the tests: SQLite by default, or PostgreSQL with `LAMPLIGHTER_TEST_STORE=postgres`.
package enum TestStore {
    /// Whether the tests run with PostgreSQL instead of SQLite.
    package static let isPostgres = ProcessInfo.processInfo.environment["LAMPLIGHTER_TEST_STORE"] == "postgres"

    /// The key that seals the stores of tests.
    ///
    /// The first use of the key also switches on a check, which ends the process if a transaction writes without a
    /// lock.
    package static let key = {
        setenv("CHECK_LOCKS", "1", 1)
        return ServerKey([UInt8](repeating: 7, count: 32))
    }()

    /// A test needs a PostgreSQL server, but no server is available.
    package struct NoServer: Error {}

    /// The name of the template database, which has this version's tables.
    private static let template = Result {
        guard let server = PostgresServer.shared, let key else { throw NoServer() }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name)")
        _ = try Store(database: PostgresAddress(server.address(name)), password: nil, credentialsPath: nil, key: key)
        return name
    }

    /// Opens a directory's store; the first call creates the store.
    package static func open(
        _ directory: TemporaryDirectory,
        key: ServerKey? = key,
        migrates: Bool = true
    ) throws -> Store {
        guard let key else { throw NoServer() }
        guard isPostgres else {
            return try Store(
                path: directory.path("test.db"),
                credentialsPath: directory.path("credentials"),
                key: key,
                migrates: migrates
            )
        }
        return try Store(
            database: PostgresAddress(address(of: directory)),
            password: nil,
            credentialsPath: directory.path("credentials"),
            key: key,
            migrates: migrates
        )
    }

    /// Returns the value to pass to `open(place:)` for a directory's store: a path or an address.
    package static func place(in directory: TemporaryDirectory) throws -> String {
        isPostgres ? try address(of: directory) : directory.path("test.db")
    }

    /// Opens the store at a file's path or at a database's address.
    package static func open(place: String) throws -> Store {
        guard let key else { throw NoServer() }
        guard isPostgres else { return try Store(path: place, credentialsPath: "\(place).credentials", key: key) }
        return try Store(database: PostgresAddress(place), password: nil, credentialsPath: nil, key: key)
    }

    /// Opens the PostgreSQL database of a directory as another process would.
    ///
    /// `onConnection` is called with each new connection before its first use.
    package static func open(
        beside directory: TemporaryDirectory,
        credentialsPath: String,
        bound: TransactionBound?,
        onConnection: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
    ) throws -> Store {
        guard let key else { throw NoServer() }
        return try Store(
            database: PostgresAddress(address(of: directory)),
            password: nil,
            connectionsMax: 10,
            credentialsPath: credentialsPath,
            key: key,
            bound: bound,
            onConnection: onConnection
        )
    }

    /// Returns the address of a directory's PostgreSQL database, and creates it if necessary.
    package static func address(of directory: TemporaryDirectory) throws -> String {
        let note = directory.path("database")
        if !FileManager.default.fileExists(atPath: note) {
            let address = try makeDatabase()
            try directory.write(address, to: "database")
            directory.onRemoval { drop(address) }
        }
        return try String(contentsOfFile: note, encoding: .utf8)
    }

    /// Creates a PostgreSQL database with this version's tables, and returns its address.
    package static func makeDatabase() throws -> String {
        let template = try template.get()
        guard let server = PostgresServer.shared else { throw NoServer() }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name) TEMPLATE \(template)")
        return server.address(name)
    }

    /// The SQL statement that returns the name of every column, together with its table's name.
    package static var columns: String {
        guard isPostgres else {
            return """
                SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE 'grdb_%'
                """
        }
        return """
            SELECT CAST(table_name AS TEXT), CAST(column_name AS TEXT)
            FROM information_schema.columns WHERE table_schema = 'public'
            """
    }

    /// Returns a statement with byte literals, such as `x'01'`, in the engine's notation.
    package static func bytes(in statement: String) -> String {
        isPostgres ? statement.replacing("x'", with: "'\\x") : statement
    }

    /// The SQL statement that makes the database refuse each report that contains 666.
    package static var poison: String {
        isPostgres
            ? """
            ALTER TABLE historyBuffer ADD CONSTRAINT poison
                CHECK (position(CAST('666' AS BYTEA) IN lines) = 0)
            """
            : """
            CREATE TRIGGER poison BEFORE INSERT ON historyBuffer
            WHEN instr(CAST(NEW.lines AS TEXT), '666') > 0
            BEGIN SELECT RAISE(ABORT, 'poisoned'); END
            """
    }

    /// Connects to a PostgreSQL database, by default to the database `postgres` of the tests' server.
    package static func connection(_ address: String? = nil) throws -> PostgresConnection {
        guard let server = PostgresServer.shared else { throw NoServer() }
        return try PostgresConnection(PostgresAddress(address ?? server.address()))
    }

    /// Deletes a database: at 10 MB each, all tests' databases together would take too much space.
    private static func drop(_ address: String) {
        guard let name = address.split(separator: "@/").last?.prefix(while: { $0 != "?" }) else { return }
        _ = try? connection().execute("DROP DATABASE \(name) WITH (FORCE)")
    }
}

extension Trait where Self == ConditionTrait {
    /// A condition for tests that apply only to SQLite.
    package static var onlyOnFile: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "the test needs a SQLite file")
    }

    /// A condition for tests that apply only to PostgreSQL.
    package static var onlyInDatabase: ConditionTrait {
        .enabled(if: TestStore.isPostgres, "the test needs concurrent transactions")
    }

    /// A condition, met only on SQLite, for tests of several requests in one transaction.
    ///
    /// On PostgreSQL, each request has a transaction of its own.
    package static var onlyInOneTransaction: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "the test needs several requests in one transaction")
    }
}
