import CPostgreSQL

/// One connection to a PostgreSQL server (libpq's `PGconn`).
///
/// It belongs to one thread at a time, and its calls block. A statement is prepared when it first runs and stays
/// prepared as long as the connection lasts. Parameters have types; results are binary.
package final class PostgresConnection {
    /// The maximum number of statements that stay prepared; more than the program has.
    static let preparedMax = 2000

    let handle: OpaquePointer
    /// The names of prepared statements, by their text and the types of their parameters.
    private var prepared: [PreparedKey: String] = [:]
    /// The number of names given to prepared statements: a failed preparation leaves a gap.
    private var preparedCount = 0
    /// The number of rows that the last answered statement changed.
    var changes = 0
    /// The number of open cursors; each has its own number.
    var openCursors = 0
    /// The time that an answer may take, in milliseconds.
    package var patience = PostgresConnection.answerMilliseconds
    /// A function that receives each statement before it is sent and returns the one to send: tests stop there, step by
    /// step.
    ///
    /// A statement for many elements counts as one. With this function no statement waits for the next.
    package var beforeStatement: ((String) -> String)?
    /// Whether an answer did not arrive in time.
    private(set) var isGivenUp = false
    /// Whether the server was asked to cancel a statement; the request may arrive later, and cancel another.
    package internal(set) var wasCancelled = false
    /// Statements without a result that have not been sent yet.
    var later: [Statement] = []
    /// Requests that were sent and not answered yet.
    var sent: [Sent] = []
    /// The open transaction; nil between transactions.
    var open: OpenTransaction?
    /// Lists of parameters that are not in use now.
    private var spareParameters: [PostgresParameters] = []

    struct PreparedKey: Hashable {
        let sql: String
        let types: [UInt32]
    }

    /// Connects to a server; of several hosts, to the first that meets the address's requirements
    /// (`PQconnectdbParams`).
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
        // Required in a pipeline: otherwise both sides may wait for the other to read.
        PQsetnonblocking(handle, 1)
        // Notices are for users who type statements.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// The id of the server's process for the connection (`PQbackendPID`), which the server names when it reports waits
    /// for locks.
    package var processID: Int32 { PQbackendPID(handle) }

    /// Whether the connection was lost; then every call fails.
    package var isLost: Bool { isGivenUp || PQstatus(handle) != CONNECTION_OK }

    /// Marks the connection as lost, since a late answer would be taken for another statement's.
    func giveUp() { isGivenUp = true }

    /// Whether a transaction has failed, so that it takes no further statement.
    var hasFailed: Bool { isLost || PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Whether a transaction is open or has failed.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs one prepared statement with parameters, after the waiting statements.
    @discardableResult
    package func execute(
        _ sql: String,
        _ parameters: PostgresParameters
    ) throws(PostgresError) -> PostgresResult {
        let sql = beforeStatement?(sql) ?? sql
        try beginPipeline()
        try send(sql, parameters)
        guard let result = try endPipeline(keeping: 1).last else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        return result
    }

    /// Runs statements without parameters, separated by semicolons; returns the last one's result, as text.
    @discardableResult
    package func execute(_ sql: String) throws(PostgresError) -> PostgresResult {
        let sql = beforeStatement?(sql) ?? sql
        try settle()
        return try executeAtOnce(sql)
    }

    private func executeAtOnce(_ sql: String) throws(PostgresError) -> PostgresResult {
        guard !isGivenUp, PQsendQuery(handle, sql) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        return try lastAnswer()
    }

    // MARK: Prepared statements

    /// Sends a statement within a pipeline; has it prepared first if it is new (`PQsendPrepare`).
    func send(_ sql: String, _ parameters: PostgresParameters) throws(PostgresError) {
        let key = PreparedKey(sql: sql, types: parameters.types)
        let name = prepared[key] ?? "s\(preparedCount)"
        if prepared[key] == nil {
            preparedCount += 1
            guard PQsendPrepare(handle, name, sql, Int32(key.types.count), key.types) == 1 else {
                throw PostgresError(message: PostgresError.message(of: handle))
            }
            prepared[key] = name
            sent.append(.preparation(key))
        }
        let isSent = parameters.lend { lent in
            PQsendQueryPrepared(handle, name, lent.count, lent.values, lent.lengths, lent.formats, 1) == 1
        }
        guard isSent else { throw PostgresError(message: PostgresError.message(of: handle)) }
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

    /// The maximum number of lists of parameters that are kept for later use.
    private static let sparesMax = 64

    /// Lends an empty list of parameters.
    func withParameters<Value>(
        _ body: (PostgresParameters) throws -> Value
    ) rethrows -> Value {
        let parameters = takeParameters()
        defer { takeBack(parameters) }
        return try body(parameters)
    }

    /// Returns an empty list of parameters, for a statement that waits.
    func takeParameters() -> PostgresParameters { spareParameters.popLast() ?? PostgresParameters() }

    /// Takes back a list that is no longer needed.
    func takeBack(_ parameters: PostgresParameters) {
        guard spareParameters.count < Self.sparesMax else { return }
        parameters.removeAll()
        spareParameters.append(parameters)
    }

    /// Takes ownership of an answer; throws its error, if any.
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
