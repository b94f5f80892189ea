import Glibc
import PostgreSQL
import Sodium
import Synchronization

/// The PostgreSQL database behind a store: its connections, and its maintenance.
///
/// Each thread uses a separate connection. The write transactions of all processes run at the same time. They lock the
/// rows on which their decisions depend (`Transaction.lock`). With `isOneWriter`, each write transaction first takes a
/// common lock. So write transactions run one after another. Readers see one committed state, and don't wait for
/// writers.
final class PostgresDatabase: Sendable {
    let key: ServerKey
    /// The id of this run of the process; the name of each of its database sessions contains it (`ProcessRole`).
    let processID: String
    /// A pattern that matches the ids of all processes.
    static let anyProcess = "p-%"
    /// The location of the database, as shown to operators.
    let place: String
    private let pool: PostgresPool
    private let isOneWriter: Bool
    private let role: ProcessRole
    /// The time limit of transactions; nil if they have none.
    let bound: TransactionBound?

    /// Opens a pool of up to `connectionsMax` connections, after checking the server's settings and clock.
    ///
    /// No transaction lasts longer than `bound`. `onConnection` is called with each new connection before use. Some
    /// processes must not work at the same time as this one. The initializer waits up to eight seconds until they
    /// disconnect.
    ///
    /// - Throws: `Store.Failure`.
    init(
        address: PostgresAddress,
        password: String? = nil,
        connectionsMax: Int = 60,
        key: ServerKey,
        isOneWriter: Bool = false,
        role: ProcessRole = .sharing,
        bound: TransactionBound? = .service,
        onConnection: @escaping @Sendable (PostgresConnection) throws -> Void = { _ in }
    ) throws {
        (self.key, self.isOneWriter, self.role, self.bound) = (key, isOneWriter, role, bound)
        place = address.place
        let processID = "p-" + Sodium.randomSecret().prefix(16)
        self.processID = processID
        // Whether an earlier session of this process was admitted.
        let isKnown = Flag()
        pool = PostgresPool(size: connectionsMax) {
            let connection = try PostgresConnection(address, password: password)
            try PostgresSettings.apply(to: connection)
            try role.enter(SQL(.postgres(connection), key: key), as: processID, isKnown: isKnown.isSet)
            isKnown.set()
            try onConnection(connection)
            return connection
        }
        try opening {
            var left = Self.looksForFoes
            while true {
                do { return try with(PostgresSettings.checkClock) } catch let error as PostgresError
                    where error.state == PostgresError.foe && left > 0
                {
                    left -= 1
                    usleep(100_000)
                }
            }
        }
    }

    /// How many times, at most, the initializer checks whether another process has disconnected.
    ///
    /// The checks are 0.1 seconds apart, and take 8 seconds together. The server needs less time to notice that the
    /// other process's machine is unreachable.
    private static let looksForFoes = 80

    /// A flag that can be set, but not cleared.
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Lends a connection to `body`, for any number of transactions that write.
    func write<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try with {
            try body(SQL(.postgres($0), key: key, isOneWriter: isOneWriter, bound: bound))
        }
    }

    /// Calls `body` with a connection that reads one committed state of the database.
    func read<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try with { connection in
            try connection.transaction(
                beginningWith: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"],
                within: bound
            ) { try body(SQL(.postgres(connection), key: key)) }
        }
    }

    /// Lends a connection to `body`, and closes the connection afterwards if it can't be used again.
    func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value { try pool.with(body) }

    /// How many seconds to wait, at most, after a commit's answer was lost.
    ///
    /// A command waits long enough for a failover. The service's threads have other work. They wait only long enough
    /// for a restart of the server.
    private static let awaitedMax = (command: 30, service: 5)

    /// Waits until the server can be reached, but for at most `awaitedMax`.
    func awaitServer() {
        let longest = role == .command ? Self.awaitedMax.command : Self.awaitedMax.service
        let end = ContinuousClock.now + .seconds(longest)
        while ContinuousClock.now < end {
            if (try? with { try $0.execute("SELECT 1") }) != nil { return }
            usleep(100_000)
        }
    }

    /// Runs a step of opening the database, and turns the server's errors into `Store.Failure`.
    func opening<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw Self.failure(error, place)
        }
    }

    /// Returns why the database can't be used, according to an error of the server.
    static func failure(_ error: PostgresError, _ place: String) -> Store.Failure {
        switch error.refusal {
        case .readOnly: .readOnly(path: place, reason: error.description)
        case .user: .refused(path: place, reason: error.description)
        case nil where error.state == PostgresError.foe:
            .inUse(path: place, reason: error.message)
        case nil where error.kind == .server:
            .unreachable(path: place, reason: error.description)
        case nil: .cannotOpen(path: place, reason: error.description)
        }
    }

    /// Returns the fingerprint of a database's key, or nil if the database has no tables; throws `Store.Failure`.
    static func fingerprint(of address: PostgresAddress, password: String?) throws -> String? {
        do {
            let connection = try PostgresConnection(address, password: password)
            return try PostgresMigrations.fingerprint(connection)
        } catch let error as PostgresError {
            throw failure(error, address.place)
        }
    }

    /// Sets a function that is called after each failed attempt to connect, and after the next successful attempt.
    ///
    /// The function gets the reason for the failure, or nil after the success. It is called on the thread that notices
    /// the change, and must not block.
    func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        pool.onAvailability(tell)
    }

    /// The number of this process's connections.
    var connectionCount: Int { pool.count }

    // MARK: Settings

    /// Returns the names and the current values of the settings on which durability depends.
    func settings() throws -> [(name: String, value: String)] {
        try with { connection in
            let values = try PostgresSettings.read(connection)
            return zip(PostgresSettings.all, values).map { ($0.name, $1) }
        }
    }

    /// Returns the server's version, such as `15.18`.
    func version() throws -> String {
        try with { connection in
            let text = try connection.execute("SHOW server_version").texts.first ?? ""
            return text.split(separator: " ").first.map(String.init) ?? text
        }
    }

    // MARK: Maintenance

    /// The longest time that a vacuum can take, in milliseconds: ten minutes.
    private static let vacuumMilliseconds = 600_000

    /// Returns the size of the database on the server's disk, in bytes.
    func bytes() throws -> Int64 { try read { try $0.integer("SELECT pg_database_size(current_database())") ?? 0 } }

    /// The largest total size, in bytes, at which the account tables are still rewritten.
    ///
    /// Larger tables are only vacuumed. Rewriting tables of this size blocks readers for up to a second.
    private static let rewrittenMax: Int64 = 64 << 20

    /// Rewrites the tables from which accounts were erased, because unused parts of pages keep deleted data.
    ///
    /// Large tables are only vacuumed: the deleted rows stay until later rows overwrite them. The data stays in the
    /// server's write-ahead log and in copies of the database until these are deleted. Always returns true.
    func vacuumErased() throws -> Bool {
        guard let mark = try read({ try MetaTable(sql: $0, cache: nil).pendingVacuum() }) else { return true }
        let size = try read {
            try $0.integer("SELECT pg_total_relation_size('account') + pg_total_relation_size('identity')") ?? 0
        }
        let way = size <= Self.rewrittenMax ? "VACUUM FULL" : "VACUUM"
        try with { connection in
            connection.patience = Self.vacuumMilliseconds
            // The server's time limit for statements is too short for a vacuum. Interrupting a vacuum does no harm.
            try connection.execute("SET statement_timeout = 0")
            defer {
                connection.patience = PostgresConnection.answerMilliseconds
                _ = try? connection.execute("SET statement_timeout = '15s'")
            }
            for table in ["account", "identity"] { try connection.execute("\(way) \(table)") }
        }
        try write { sql in try sql.transaction { try MetaTable(sql: sql, cache: nil).confirmVacuum(mark) } }
        return true
    }
}
