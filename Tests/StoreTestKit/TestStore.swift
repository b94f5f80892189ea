import Foundation
package import PostgreSQL
package import Sodium
package import Storage
package import TestKit
package import Testing

/// The database engine of the tests: SQLite, or PostgreSQL with `LAMPLIGHTER_TEST_STORE=postgres`.
package enum TestStore {
    /// Whether the tests run on PostgreSQL.
    package static let isPostgres = ProcessInfo.processInfo.environment["LAMPLIGHTER_TEST_STORE"] == "postgres"

    /// The key that seals the tests' stores; its first use lets a missing lock end the tests.
    package static let key = {
        setenv("CHECK_LOCKS", "1", 1)
        return ServerKey([UInt8](repeating: 7, count: 32))
    }()

    /// The error when no PostgreSQL is available for the tests.
    package struct NoServer: Error {}

    /// The name of a database with this version's tables, from which the others are copied.
    private static let template = Result {
        guard let server = PostgresServer.shared, let key else { throw NoServer() }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name)")
        _ = try Store(database: PostgresAddress(server.address(name)), password: nil, credentialsPath: nil, key: key)
        return name
    }

    /// Opens a directory's store, and creates it the first time.
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

    /// Returns the path or address of a directory's store, for `open(place:)`.
    package static func place(in directory: TemporaryDirectory) throws -> String {
        isPostgres ? try address(of: directory) : directory.path("test.db")
    }

    /// Opens the store at a path or an address.
    package static func open(place: String) throws -> Store {
        guard let key else { throw NoServer() }
        guard isPostgres else { return try Store(path: place, credentialsPath: "\(place).credentials", key: key) }
        return try Store(database: PostgresAddress(place), password: nil, credentialsPath: nil, key: key)
    }

    /// Opens a directory's database as another process would; each new connection is first passed to `onConnection`.
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

    /// Returns the address of a directory's database, which is created the first time.
    package static func address(of directory: TemporaryDirectory) throws -> String {
        let note = directory.path("database")
        if !FileManager.default.fileExists(atPath: note) {
            let address = try makeDatabase()
            try directory.write(address, to: "database")
            directory.onRemoval { drop(address) }
        }
        return try String(contentsOfFile: note, encoding: .utf8)
    }

    /// Makes a database with this version's tables and returns its address.
    package static func makeDatabase() throws -> String {
        let template = try template.get()
        guard let server = PostgresServer.shared else { throw NoServer() }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name) TEMPLATE \(template)")
        return server.address(name)
    }

    /// The statement that lists the columns of all tables, each with its table.
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

    /// Returns a statement with its bytes, such as `x'01'`, in the engine's notation.
    package static func bytes(in statement: String) -> String {
        isPostgres ? statement.replacing("x'", with: "'\\x") : statement
    }

    /// The statement that makes the history refuse each report that contains 666.
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

    /// Connects to a database, by default to the server's `postgres`.
    package static func connection(_ address: String? = nil) throws -> PostgresConnection {
        guard let server = PostgresServer.shared else { throw NoServer() }
        return try PostgresConnection(PostgresAddress(address ?? server.address()))
    }

    /// Removes a database; at 10 MB each, the databases of all tests would take too much space.
    private static func drop(_ address: String) {
        guard let name = address.split(separator: "@/").last?.prefix(while: { $0 != "?" }) else { return }
        _ = try? connection().execute("DROP DATABASE \(name) WITH (FORCE)")
    }
}

extension Trait where Self == ConditionTrait {
    /// A condition for tests that apply only to a SQLite file.
    package static var onlyOnFile: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "it is about a file of SQLite's")
    }

    /// A condition for tests that apply only to a PostgreSQL database.
    package static var onlyInDatabase: ConditionTrait {
        .enabled(if: TestStore.isPostgres, "it is about transactions beside each other")
    }

    /// A condition for tests of many requests in one transaction: in a shared database each request has its own.
    package static var onlyInOneTransaction: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "it is about many requests in one transaction")
    }
}
