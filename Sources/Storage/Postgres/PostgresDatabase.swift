import Glibc
import PostgreSQL
import Sodium
import Synchronization

/// The PostgreSQL database behind a store: its connections, and its maintenance.
///
/// Each thread uses a separate connection. Writing transactions, of this process and of others, run concurrently and
/// lock the rows on which they decide (`Transaction.lock`). With `isOneWriter` each takes one lock first, so that they
/// run one after another. Readers see one committed state and never wait.
final class PostgresDatabase: Sendable {
    let key: ServerKey
    /// The id of this run of the process, which each of its sessions sends to the server (`ProcessRole`).
    let processID: String
    /// A pattern for all process ids.
    static let anyProcess = "p-%"
    /// The database's place, for messages.
    let place: String
    private let pool: PostgresPool
    private let isOneWriter: Bool
    private let role: ProcessRole
    /// The time limit of a transaction, if any.
    let bound: TransactionBound?

    /// Opens a pool of at most `connectionsMax` connections, and connects once to check the server's settings and
    /// clock.
    ///
    /// A transaction lasts at most as long as `bound`. `onConnection` gets each new connection first. Waits up to eight
    /// seconds for a process to disconnect that must not work beside this one.
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
        self.key = key
        self.isOneWriter = isOneWriter
        self.role = role
        self.bound = bound
        place = address.place
        let processID = "p-" + Sodium.randomSecret().prefix(16)
        self.processID = processID
        // Whether the process was admitted.
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

    /// How often it checks whether another process has ended, a tenth of a second apart; in total longer than the
    /// server needs to notice that its machine is gone.
    private static let looksForFoes = 80

    /// A flag that stays set.
    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
    }

    /// Lends a connection for any number of transactions that write.
    func write<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try with {
            try body(SQL(.postgres($0), key: key, isOneWriter: isOneWriter, bound: bound))
        }
    }

    /// Lends a connection that reads one committed state.
    func read<Value>(_ body: (SQL) throws -> Value) throws -> Value {
        try with { connection in
            try connection.transaction(
                beginningWith: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"],
                within: bound
            ) {
                try body(SQL(.postgres(connection), key: key))
            }
        }
    }

    /// Lends a connection, which is closed afterwards if it failed.
    func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value { try pool.with(body) }

    /// How long to wait for the server after an unanswered commit, in seconds.
    ///
    /// For commands this is as long as a failover takes; for the service, whose threads others wait for, as long as a
    /// restart.
    private static let awaitedMax = (command: 30, service: 5)

    /// Waits until the server can be reached, for `awaitedMax` at most.
    func awaitServer() {
        let longest = role == .command ? Self.awaitedMax.command : Self.awaitedMax.service
        let end = ContinuousClock.now + .seconds(longest)
        while ContinuousClock.now < end {
            if (try? with { try $0.execute("SELECT 1") }) != nil { return }
            usleep(100_000)
        }
    }

    /// Runs a part of opening, and turns the server's errors into reasons why the database can't be used.
    func opening<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw Self.failure(error, place)
        }
    }

    /// Returns the failure that a server's error while opening means.
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

    /// Returns the fingerprint of the key that a database was written with; nil if it has no tables yet.
    ///
    /// - Throws: `Store.Failure`.
    static func fingerprint(of address: PostgresAddress, password: String?) throws -> String? {
        do {
            let connection = try PostgresConnection(address, password: password)
            return try PostgresMigrations.fingerprint(connection)
        } catch let error as PostgresError {
            throw failure(error, address.place)
        }
    }

    /// Sets the function that gets the reason why the database can't be reached, and nil once it can.
    ///
    /// It is called on the thread that noticed, and must not block.
    func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        pool.onAvailability(tell)
    }

    /// The number of connections.
    var connectionCount: Int { pool.count }

    // MARK: Settings

    /// Returns the current values of the settings on which durability depends, by name.
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

    /// The time for a vacuum, in milliseconds: ten minutes.
    private static let vacuumMilliseconds = 600_000

    /// Returns the size of the database on the server's disk, in bytes.
    func bytes() throws -> Int64 { try read { try $0.integer("SELECT pg_database_size(current_database())") ?? 0 } }

    /// The largest total size at which tables are rewritten and not only vacuumed, in bytes.
    ///
    /// Rewriting takes a second at most, in which nothing can read them.
    private static let rewrittenMax: Int64 = 64 << 20

    /// Rewrites the tables that held erased accounts, because unused parts of pages keep deleted data.
    ///
    /// Large tables are only vacuumed; later rows take the space of deleted ones. The server's log and its copies hold
    /// the data for as long as they are kept. Always returns true.
    func vacuumErased() throws -> Bool {
        guard let mark = try read({ try MetaTable(sql: $0, cache: nil).pendingVacuum() }) else { return true }
        let size = try read {
            try $0.integer("SELECT pg_total_relation_size('account') + pg_total_relation_size('identity')") ?? 0
        }
        let way = size <= Self.rewrittenMax ? "VACUUM FULL" : "VACUUM"
        try with { connection in
            connection.patience = Self.vacuumMilliseconds
            // A vacuum has no time limit, and can be ended at any time.
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
