import Foundation
package import PostgreSQL
package import Sodium
package import Storage
package import TestKit
package import Testing

/// The engine that tests run on: SQLite, or PostgreSQL where `LAMPLIGHTER_TEST_STORE=postgres` says so.
package enum TestStore {
    /// Whether the tests run on PostgreSQL.
    package static let isPostgres =
        ProcessInfo.processInfo.environment["LAMPLIGHTER_TEST_STORE"] == "postgres"

    /// The key that the tests' stores are sealed with; whoever asks for it has missing locks end the tests.
    package static let key = {
        setenv("CHECK_LOCKS", "1", 1)
        return ServerKey([UInt8](repeating: 7, count: 32))
    }()

    /// There is no PostgreSQL to test with.
    package struct NoServer: Error {}

    /// The name of a database with this version's tables, which others are copies of.
    private static let template = Result {
        guard let server = PostgresServer.shared, let key else { throw NoServer() }
        let name = server.newName()
        try connection().execute("CREATE DATABASE \(name)")
        _ = try Store(
            database: PostgresAddress(server.address(name)),
            password: nil,
            credentialsPath: nil,
            key: key
        )
        return name
    }

    /// Opens the store that belongs to a directory, and makes it the first time.
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

    /// Returns what `open(place:)` takes for the store that belongs to a directory: a path, or an address.
    package static func place(in directory: TemporaryDirectory) throws -> String {
        isPostgres ? try address(of: directory) : directory.path("test.db")
    }

    /// Opens the store at a path or an address.
    package static func open(place: String) throws -> Store {
        guard let key else { throw NoServer() }
        guard isPostgres else {
            return try Store(path: place, credentialsPath: "\(place).credentials", key: key)
        }
        return try Store(
            database: PostgresAddress(place),
            password: nil,
            credentialsPath: nil,
            key: key
        )
    }

    /// Opens a directory's database beside the store that there is, as another process would; `onConnection` is given
    /// each new connection first.
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

    /// Returns the address of the database that belongs to a directory, and makes the database the first time.
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

    /// Writes the bytes of a statement, such as `x'01'`, as the engine reads them.
    package static func bytes(in statement: String) -> String {
        isPostgres ? statement.replacing("x'", with: "'\\x") : statement
    }

    /// The statement that makes the history refuse each report with 666 in it.
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

    /// Connects to a database; to the server's own where none is named.
    package static func connection(_ address: String? = nil) throws -> PostgresConnection {
        guard let server = PostgresServer.shared else { throw NoServer() }
        return try PostgresConnection(PostgresAddress(address ?? server.address()))
    }

    /// Removes a database; 10 MB each are too much to keep for all tests.
    private static func drop(_ address: String) {
        guard let name = address.split(separator: "@/").last?.prefix(while: { $0 != "?" }) else {
            return
        }
        _ = try? connection().execute("DROP DATABASE \(name) WITH (FORCE)")
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of what only a file of SQLite's has.
    package static var onlyOnFile: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "it is about a file of SQLite's")
    }

    /// For tests of what only a database of PostgreSQL's has.
    package static var onlyInDatabase: ConditionTrait {
        .enabled(if: TestStore.isPostgres, "it is about transactions beside each other")
    }

    /// For tests of many requests in one transaction: in a shared database each has one of its own.
    package static var onlyInOneTransaction: ConditionTrait {
        .disabled(if: TestStore.isPostgres, "it is about many requests in one transaction")
    }
}
