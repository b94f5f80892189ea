import CPostgreSQL

/// One connection to a PostgreSQL server (libpq's `PGconn`).
///
/// It belongs to one thread at a time, and its calls block. A statement is prepared when it first runs and stays
/// prepared as long as the connection. Parameters have types; results are binary.
package final class PostgresConnection {
    /// The most statements that stay prepared; more than the program has.
    static let preparedMax = 2000

    let handle: OpaquePointer
    /// The names of prepared statements, by their text and the types of their parameters.
    private var prepared: [PreparedKey: String] = [:]
    /// How many rows the last statement changed.
    package internal(set) var changes = 0
    /// How many cursors are open; each has a number of its own.
    var openCursors = 0
    /// The time that an answer may take, in milliseconds.
    package var patience = PostgresConnection.answerMilliseconds
    /// Is shown each statement before it leaves, and gives the one to send: tests stop there, step by step.
    ///
    /// A pipeline is one statement.
    package var beforeStatement: ((String) -> String)?
    /// Whether an answer was waited for in vain.
    private(set) var isGivenUp = false
    /// Lists of parameters that are not in use now.
    private var spareParameters: [PostgresParameters] = []

    private struct PreparedKey: Hashable {
        let sql: String
        let types: [UInt32]
    }

    /// Connects to a server; of several hosts to the first that is as the address wants it (`PQconnectdbParams`).
    ///
    /// Blocks for up to 3 s a host.
    package init(
        _ address: PostgresAddress,
        password: String? = nil
    ) throws(PostgresError) {
        let made = address.lend(password: password) { names, values in
            PQconnectdbParams(names, values, 0)
        }
        guard let handle = made else { throw PostgresError(message: "out of memory") }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw PostgresError(message: PostgresError.reasons(of: handle))
        }
        self.handle = handle
        // Within a pipeline: otherwise both sides may wait for the other to read.
        PQsetnonblocking(handle, 1)
        // Notices are for people who type statements.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// The server's process behind it (`PQbackendPID`), by which the server says who waits for whom.
    package var processID: Int32 { PQbackendPID(handle) }

    /// Whether the connection was lost; then every call fails.
    package var isLost: Bool { isGivenUp || PQstatus(handle) != CONNECTION_OK }

    /// Counts the connection as lost, since an answer that comes later would be taken for another statement's.
    func giveUp() { isGivenUp = true }

    /// Whether a transaction is open, or was left failed.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs one statement with parameters, prepared.
    @discardableResult
    package func execute(
        _ sql: String,
        _ parameters: PostgresParameters
    ) throws(PostgresError) -> PostgresResult {
        let name = try prepare(beforeStatement?(sql) ?? sql, parameters)
        guard send(name, parameters) else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        let result = try lastAnswer()
        changes = result.changes
        return result
    }

    /// Runs statements without parameters, separated by semicolons; returns the last one's result, as text.
    @discardableResult
    package func execute(_ sql: String) throws(PostgresError) -> PostgresResult {
        let sql = beforeStatement?(sql) ?? sql
        guard !isGivenUp, PQsendQuery(handle, sql) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        return try lastAnswer()
    }

    /// Runs a transaction; a failure undoes all of it.
    ///
    /// - Throws: What `body` throws, or a `PostgresError`: of class 08007 where the commit has no answer, so that
    ///   it may have been carried out.
    package func transaction<Value>(
        beginningWith begin: String = "BEGIN",
        _ body: () throws -> Value
    ) throws -> Value {
        try execute(begin)
        let value: Value
        do {
            value = try body()
        } catch {
            if isInTransaction { _ = try? execute("ROLLBACK") }
            throw error
        }
        try commit()
        return value
    }

    private func commit() throws(PostgresError) {
        let result: PostgresResult
        do {
            result = try execute("COMMIT")
        } catch {
            if isInTransaction { _ = try? execute("ROLLBACK") }
            guard isLost else { throw error }
            throw PostgresError(state: "08007", message: "the commit was not answered")
        }
        // The server answers so, without an error, where a statement failed and the failure was passed over.
        guard result.command == "COMMIT" else {
            throw PostgresError(state: "25P02", message: "a statement of the transaction failed")
        }
    }

    // MARK: Prepared statements

    /// Returns the name of a prepared statement; prepares it if need be (`PQprepare`).
    func prepare(
        _ sql: String,
        _ parameters: PostgresParameters
    ) throws(PostgresError) -> String {
        let key = PreparedKey(sql: sql, types: parameters.types)
        if let name = prepared[key] { return name }
        if prepared.count >= Self.preparedMax {
            try execute("DEALLOCATE ALL")
            prepared.removeAll()
        }
        let name = "s\(prepared.count)"
        guard PQsendPrepare(handle, name, sql, Int32(key.types.count), key.types) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        _ = try lastAnswer()
        prepared[key] = name
        return name
    }

    /// Returns the types of the columns that a statement gives, without running it (`PQdescribePrepared`).
    package func columnTypes(
        _ sql: String,
        parameters types: [UInt32]
    ) throws(PostgresError) -> [UInt32] {
        _ = try check(PQprepare(handle, "", sql, Int32(types.count), types))
        let result = try check(PQdescribePrepared(handle, ""))
        return (0..<PQnfields(result.handle)).map { PQftype(result.handle, $0) }
    }

    /// Lends an empty list of parameters.
    func withParameters<Value>(
        _ body: (PostgresParameters) throws -> Value
    ) rethrows -> Value {
        let parameters = spareParameters.popLast() ?? PostgresParameters()
        defer {
            parameters.removeAll()
            spareParameters.append(parameters)
        }
        return try body(parameters)
    }

    /// Takes an answer over; throws what it complains of.
    func check(_ answer: OpaquePointer?) throws(PostgresError) -> PostgresResult {
        guard let answer else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        let result = PostgresResult(answer)
        switch PQresultStatus(answer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
        default: throw PostgresError(answer, of: handle)
        }
    }
}
