import Credentials
import Glibc
package import PostgreSQL
import Sodium

/// Copies credentials from a database into the gate's file, on a machine without the service.
///
/// A transaction that changes credentials announces the keys of the changed records with `NOTIFY`. The announcement
/// takes effect at the commit. The feeder then appends the current rows with these keys to the file. A lock ensures
/// that the feeder never appends an older record after a newer one. At the start, the feeder listens before it reads
/// all rows. So it misses no change. The feeder's database role can read only the needed columns, such as hashes of
/// secrets. The methods block, and only one thread can use them.
package final class GateFeed {
    /// The channel for announcements.
    ///
    /// An announcement consists of the number of a record's kind, a space, and the record's key.
    static let channel = "lamplighter_gate"

    private let connection: PostgresConnection
    private let sql: SQL
    private let path: String
    private var file: CredentialsFile
    /// The largest connection number in the file.
    private var known: Int64 = 0
    private var readAll = ContinuousClock.now

    /// How often the feeder reads connection numbers.
    ///
    /// Transactions don't announce these numbers.
    private static let connectionsEvery: Duration = .seconds(10)

    /// Announces changes of credentials in the transaction that makes them.
    static func announce(_ records: [Record], _ sql: SQL) throws {
        let keys = records.filter { $0.kind != .connections }.map { "\($0.kind.rawValue) \($0.key)" }
        try sql.run("SELECT pg_notify('\(channel)', $1)", each: keys) { $0 }
    }

    /// Connects to the database, listens for announcements, and writes the whole file.
    ///
    /// - Throws: `Store.Failure`, or an error of the file system.
    package init(_ address: PostgresAddress, password: String?, path: String) throws {
        do {
            connection = try PostgresConnection(address, password: password)
            try PostgresSettings.apply(to: connection)
            try connection.execute("LISTEN \(Self.channel)")
        } catch let error as PostgresError {
            throw PostgresDatabase.failure(error, address.place)
        }
        // Any key can be used here, since no encrypted column is read.
        guard let key = ServerKey([UInt8](repeating: 0, count: ServerKey.byteCount)) else {
            throw Store.Failure.cannotOpen(path: address.place, reason: "no key")
        }
        sql = SQL(.postgres(connection), key: key)
        self.path = path
        file = try CredentialsFile(path: path)
        try rewrite()
    }

    /// The number of records in the file.
    package var count: Int { file.liveCount }

    /// Waits up to `wait` for announcements, appends the announced records to the file, and returns their number.
    ///
    /// Each call also sets the file's modification time to the current time. With the option `credentials_age`, the
    /// gate admits no new clients if the file is too old.
    ///
    /// - Throws: `PostgresError` or a file system error. The caller must then create a new feeder.
    package func turn(waiting wait: Duration) throws -> Int {
        let changed = try connection.notifications(waiting: wait)
        var count = try append(Set(changed))
        if ContinuousClock.now - readAll > Self.connectionsEvery { count += try appendConnections() }
        if count == 0 { try connection.execute("SELECT 1") }
        guard utimes(path, nil) == 0 else { throw CredentialsError.system(call: "utimes", errno: errno) }
        return count
    }

    private func append(_ changed: Set<String>) throws -> Int {
        guard !changed.isEmpty else { return 0 }
        try file.hold()
        defer { file.release() }
        let records = try connection.transaction(beginningWith: Self.begin) {
            try changed.sorted().compactMap { text -> Record? in
                let parts = text.split(separator: " ", maxSplits: 1)
                guard parts.count == 2, let number = UInt8(parts[0]), let kind = Record.Kind(rawValue: number) else {
                    return nil
                }
                return try GateRecords.current(kind, of: String(parts[1]), in: sql)
            }
        }
        try file.append(records)
        if file.totalCount > 2 * file.liveCount + 10_000 { try rewriteHeld() }
        return records.count
    }

    private func appendConnections() throws -> Int {
        readAll = .now
        try file.hold()
        defer { file.release() }
        guard case .connections(let newest)? = try GateRecords.connection(sql),
            newest > known + Record.connectionsLead / 2
        else { return 0 }
        try file.append([.connections(known: newest)])
        known = newest
        return 1
    }

    private static let begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]

    private func rewrite() throws {
        try file.hold()
        defer { file.release() }
        try rewriteHeld()
    }

    private func rewriteHeld() throws {
        let records = try connection.transaction(beginningWith: Self.begin) { try GateRecords.all(sql) }
        try file.rewrite(records)
        for case .connections(let newest) in records { known = newest }
    }
}
