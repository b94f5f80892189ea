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
    /// How many names were given to prepared statements: one whose preparation failed leaves a gap.
    private var preparedCount = 0
    /// How many rows the last statement changed that was answered.
    var changes = 0
    /// How many cursors are open; each has a number of its own.
    var openCursors = 0
    /// The time that an answer may take, in milliseconds.
    package var patience = PostgresConnection.answerMilliseconds
    /// Is shown each statement before it leaves, and gives the one to send: tests stop there, step by step.
    ///
    /// A statement for many elements is one. With it none waits for the next.
    package var beforeStatement: ((String) -> String)?
    /// Whether an answer was waited for in vain.
    private(set) var isGivenUp = false
    /// Whether the server was asked to end what ran; the wish may reach it later, and end something else.
    package internal(set) var wasCancelled = false
    /// Statements without a result that have not been sent yet.
    var later: [Statement] = []
    /// What was sent and not answered yet.
    var sent: [Sent] = []
    /// The transaction that is open; nil between two.
    var open: OpenTransaction?
    /// Lists of parameters that are not in use now.
    private var spareParameters: [PostgresParameters] = []

    struct PreparedKey: Hashable {
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

    /// Whether a transaction has failed, so that it takes no further statement.
    var hasFailed: Bool { isLost || PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Whether a transaction is open, or was left failed.
    package var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs one statement with parameters, prepared, and what waits before it.
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

    /// Sends a statement within a pipeline; has it prepared before if it is new (`PQsendPrepare`).
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
            PQsendQueryPrepared(
                handle,
                name,
                lent.count,
                lent.values,
                lent.lengths,
                lent.formats,
                1
            ) == 1
        }
        guard isSent else { throw PostgresError(message: PostgresError.message(of: handle)) }
        sent.append(.statement)
    }

    /// Forgets a statement whose preparation failed, or was passed over.
    func forget(_ key: PreparedKey) { prepared[key] = nil }

    /// Has the server forget the prepared statements where there are too many.
    func limitPrepared() throws(PostgresError) {
        guard prepared.count >= Self.preparedMax else { return }
        _ = try executeAtOnce("DEALLOCATE ALL")
        prepared.removeAll()
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

    /// The most lists of parameters that are kept for later use.
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
    func takeParameters() -> PostgresParameters {
        spareParameters.popLast() ?? PostgresParameters()
    }

    /// Takes back a list that is not needed any more.
    func takeBack(_ parameters: PostgresParameters) {
        guard spareParameters.count < Self.sparesMax else { return }
        parameters.removeAll()
        spareParameters.append(parameters)
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
