import CPostgreSQL

/// A connection to a PostgreSQL server (libpq's `PGconn`).
///
/// A connection belongs to one thread at a time, and its calls block. A statement is prepared when it first runs. It
/// then stays prepared until the connection ends. Parameters are sent with their types, and results are binary.
package final class PostgresConnection {
    /// The maximum number of prepared statements, which is larger than the number of different statements in the
    /// program.
    static let preparedMax = 2000

    let handle: OpaquePointer
    /// The names of prepared statements, by the statements' text and the types of their parameters.
    private var prepared: [PreparedKey: String] = [:]
    /// The number of statements named so far, including statements whose preparation failed.
    private var preparedCount = 0
    /// The number of rows that the last answered statement changed.
    var changes = 0
    /// The number of open cursors, from which the name of the next cursor is made.
    var openCursors = 0
    /// The time that an answer may take, in milliseconds.
    package var patience = PostgresConnection.answerMilliseconds
    /// A function for tests, which gets each statement and returns the statement to send.
    ///
    /// Tests use this function to pause transactions.
    ///
    /// If a statement runs for many elements, the function is called only once. If this function is set, no statement
    /// waits for a later statement.
    package var beforeStatement: ((String) -> String)?
    private(set) var isGivenUp = false
    /// Whether the client has sent a cancel request, which could arrive late and cancel another statement.
    package internal(set) var wasCancelled = false
    /// The waiting statements, which have no result and haven't been sent yet.
    var later: [Statement] = []
    /// The requests that have been sent but not answered yet.
    var sent: [Sent] = []
    /// The open transaction; nil between transactions.
    var open: OpenTransaction?
    /// The lists of parameters that are not in use.
    private var spareParameters: [PostgresParameters] = []

    struct PreparedKey: Hashable {
        let sql: String
        let types: [UInt32]
    }

    /// Connects to the first suitable host of an address (`PQconnectdbParams`).
    ///
    /// By default, the first host that accepts writes is suitable, and the call blocks for up to 3 s for each host. The
    /// address can set other values.
    package init(_ address: PostgresAddress, password: String? = nil) throws(PostgresError) {
        let made = address.lend(password: password) { names, values in PQconnectdbParams(names, values, 0) }
        guard let handle = made else { throw PostgresError(message: "out of memory") }
        guard PQstatus(handle) == CONNECTION_OK else {
            defer { PQfinish(handle) }
            throw PostgresError(message: PostgresError.reasons(of: handle))
        }
        self.handle = handle
        // A pipeline needs a nonblocking connection. Otherwise each side could wait for the other to read.
        PQsetnonblocking(handle, 1)
        // The server's notices are meant for users who type statements, and are ignored.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// The id of the server process that serves this connection (`PQbackendPID`).
    ///
    /// The server's reports about locks contain this id.
    package var processID: Int32 { PQbackendPID(handle) }

    /// Whether the connection has been lost; every call then fails.
    package var isLost: Bool { isGivenUp || PQstatus(handle) != CONNECTION_OK }

    /// The error that libpq reported last for the connection.
    var lastError: PostgresError { PostgresError(message: PostgresError.message(of: handle)) }

    /// Marks the connection as lost, because a late answer could reach the wrong statement.
    func giveUp() { isGivenUp = true }

    /// Whether the transaction has failed, so that no further statement can run in it.
    var hasFailed: Bool { isLost || PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Whether a transaction is open or has failed.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs a prepared statement with parameters, after the waiting statements.
    @discardableResult
    package func execute(_ sql: String, _ parameters: PostgresParameters) throws(PostgresError) -> PostgresResult {
        let sql = beforeStatement?(sql) ?? sql
        try beginPipeline()
        try send(sql, parameters)
        guard let result = try endPipeline(keeping: 1).last else { throw lastError }
        return result
    }

    /// Runs statements without parameters, separated by semicolons, and returns the last result as text.
    @discardableResult
    package func execute(_ sql: String) throws(PostgresError) -> PostgresResult {
        let sql = beforeStatement?(sql) ?? sql
        try settle()
        return try executeAtOnce(sql)
    }

    private func executeAtOnce(_ sql: String) throws(PostgresError) -> PostgresResult {
        guard !isGivenUp, PQsendQuery(handle, sql) == 1 else { throw lastError }
        return try lastAnswer()
    }

    // MARK: Prepared statements

    /// Sends a statement within a pipeline, preceded by its preparation if the statement is new (`PQsendPrepare`).
    func send(_ sql: String, _ parameters: PostgresParameters) throws(PostgresError) {
        let key = PreparedKey(sql: sql, types: parameters.types)
        let name = prepared[key] ?? "s\(preparedCount)"
        if prepared[key] == nil {
            preparedCount += 1
            guard PQsendPrepare(handle, name, sql, Int32(key.types.count), key.types) == 1 else { throw lastError }
            prepared[key] = name
            sent.append(.preparation(key))
        }
        let isSent = parameters.lend { lent in
            PQsendQueryPrepared(handle, name, lent.count, lent.values, lent.lengths, lent.formats, 1) == 1
        }
        guard isSent else { throw lastError }
        sent.append(.statement)
    }

    /// Forgets a statement whose preparation failed or was skipped.
    func forget(_ key: PreparedKey) { prepared[key] = nil }

    /// Deallocates all prepared statements if there are too many.
    func limitPrepared() throws(PostgresError) {
        guard prepared.count >= Self.preparedMax else { return }
        _ = try executeAtOnce("DEALLOCATE ALL")
        prepared.removeAll()
    }

    private static let sparesMax = 64

    /// Calls `body` with an empty list of parameters.
    func withParameters<Value>(_ body: (PostgresParameters) throws -> Value) rethrows -> Value {
        let parameters = takeParameters()
        defer { takeBack(parameters) }
        return try body(parameters)
    }

    /// Returns an empty list, for the parameters of a waiting statement.
    func takeParameters() -> PostgresParameters { spareParameters.popLast() ?? PostgresParameters() }

    /// Empties a list of parameters that is no longer needed, and stores it for reuse.
    func takeBack(_ parameters: PostgresParameters) {
        guard spareParameters.count < Self.sparesMax else { return }
        parameters.removeAll()
        spareParameters.append(parameters)
    }

    /// Takes ownership of an answer, and returns it as a result or throws its error.
    func check(_ answer: OpaquePointer?) throws(PostgresError) -> PostgresResult {
        guard let answer else { throw lastError }
        let result = PostgresResult(answer)
        switch PQresultStatus(answer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return result
        default: throw PostgresError(answer, of: handle)
        }
    }
}
