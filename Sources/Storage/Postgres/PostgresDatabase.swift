import Glibc
import PostgreSQL
import Sodium
import Synchronization

/// The PostgreSQL database behind a store: its connections, and its maintenance.
///
/// Each thread has a connection of its own while it uses one. Transactions that write run beside each other, of this
/// process and of others, and lock what they decide on (`Transaction.lock`); with `isOneWriter` each takes one lock
/// first, so that they follow one another. Readers see one committed state and never wait.
final class PostgresDatabase: Sendable {
    let key: ServerKey
    /// What no other run of a process is called; each of its sessions says it to the server (`ProcessRole`).
    let processID: String
    /// A pattern for the ids of all.
    static let anyProcess = "p-%"
    /// Where it is, for people.
    let place: String
    private let pool: PostgresPool
    private let isOneWriter: Bool
    private let role: ProcessRole
    /// How long a transaction may last.
    let bound: TransactionBound?

    /// Refers to a database that so many connections may be made to, and connects once to see that it answers and is as it must be.
    ///
    /// A transaction may last as long as `bound` says. `onConnection` is given each new connection first. Another process
    /// that must not be connected beside this one may have ended just now: for that it waits some seconds.
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
        // Whether the process has been let in.
        let isKnown = Flag()
        pool = PostgresPool(size: connectionsMax) {
            let connection = try PostgresConnection(address, password: password)
            try PostgresSettings.apply(to: connection)
            try role.enter(
                SQL(.postgres(connection), key: key),
                as: processID,
                isKnown: isKnown.isSet
            )
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

    /// How often it is looked whether another process has ended, a tenth of a second apart: longer than the server needs to
    /// notice that its machine is gone.
    private static let looksForFoes = 80

    /// Something that is true from a moment on.
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

    /// Lends a connection that reads one state.
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
    func with<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        try pool.with(body)
    }

    /// How long the server is waited for where a commit was not answered, in seconds: of commands as long as a failover
    /// takes, of the service, whose threads others wait for, as long as a restart.
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

    /// Runs a part of opening, and says of the server's failures why the database can't be used.
    func opening<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw Self.failure(error, place)
        }
    }

    /// What a server's refusal to begin means.
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

    /// Returns the fingerprint of the key that a database was written with; nil in one that has no tables yet.
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

    /// Sets the function that is told why the database is away, and nil once it is back.
    ///
    /// It is called on the thread that noticed, and must not block.
    func onAvailability(_ tell: @escaping @Sendable (String?) -> Void) {
        pool.onAvailability(tell)
    }

    /// How many connections there are.
    var connectionCount: Int { pool.count }

    // MARK: Settings

    /// Returns the settings that durability rests on, as they are now, by name.
    func settings() throws -> [(name: String, value: String)] {
        try with { connection in
            let values = try PostgresSettings.read(connection)
            return zip(PostgresSettings.all, values).map { ($0.name, $1) }
        }
    }

    /// The server's version, such as `15.18`.
    func version() throws -> String {
        try with { connection in
            let text = try connection.execute("SHOW server_version").texts.first ?? ""
            return text.split(separator: " ").first.map(String.init) ?? text
        }
    }

    // MARK: Maintenance

    /// The time for a vacuum, in milliseconds: ten minutes.
    private static let vacuumMilliseconds = 600_000

    /// Returns how much the database takes on the server's disk, in bytes.
    func bytes() throws -> Int64 {
        try read { try $0.integer("SELECT pg_database_size(current_database())") ?? 0 }
    }

    /// Tables up to this size together are rewritten, in bytes: at most a second's work, while nobody reads them.
    private static let rewrittenMax: Int64 = 64 << 20

    /// Rewrites the tables that erased accounts stood in: unused parts of pages keep what was deleted.
    ///
    /// Large tables are cleared of deleted rows, whose room later ones take. The server's log and its copies keep what
    /// was in them for as long as they are kept. Always returns true.
    func vacuumErased() throws -> Bool {
        guard let mark = try read({ try MetaTable(sql: $0, cache: nil).pendingVacuum() }) else {
            return true
        }
        let size = try read {
            try $0.integer(
                "SELECT pg_total_relation_size('account') + pg_total_relation_size('identity')"
            ) ?? 0
        }
        let way = size <= Self.rewrittenMax ? "VACUUM FULL" : "VACUUM"
        try with { connection in
            connection.patience = Self.vacuumMilliseconds
            // A vacuum takes as long as it takes, and may be ended at any time.
            try connection.execute("SET statement_timeout = 0")
            defer {
                connection.patience = PostgresConnection.answerMilliseconds
                _ = try? connection.execute("SET statement_timeout = '15s'")
            }
            for table in ["account", "identity"] { try connection.execute("\(way) \(table)") }
        }
        try write { sql in
            try sql.transaction { try MetaTable(sql: sql, cache: nil).confirmVacuum(mark) }
        }
        return true
    }
}
