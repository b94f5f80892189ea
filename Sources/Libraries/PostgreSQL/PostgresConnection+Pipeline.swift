import CPostgreSQL

/// The execution of many statements in one round trip, with libpq's pipeline mode.
///
/// In a transaction, a statement without a result isn't sent at once. It waits for the next statement with a result, or
/// for the commit. The server runs all statements in order, so each statement sees the effects of earlier statements.
/// After a failure, the server skips all further statements, including `COMMIT`. The failure's error is thrown when the
/// next result is read.
extension PostgresConnection {
    /// The maximum number of waiting statements.
    static let laterMax = 500

    /// A waiting statement, with its values.
    struct Statement {
        let sql: String
        let parameters: PostgresParameters
    }

    /// A request that the server hasn't answered yet.
    enum Sent {
        case preparation(PreparedKey)
        case statement
    }

    /// Queues a statement if a transaction is running, and otherwise runs the statement at once.
    ///
    /// The queue is sent together with the next statement that returns a result, or with the commit.
    package func runLater(_ sql: String, bind: (PostgresParameters) -> Void = { _ in }) throws(PostgresError) {
        try runLater(sql, each: CollectionOfOne(())) { _, list in bind(list) }
    }

    /// Queues a statement for each element, in order, like `runLater(_:bind:)`.
    package func runLater<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, PostgresParameters) -> Void
    ) throws(PostgresError) {
        guard !elements.isEmpty else { return }
        let sql = beforeStatement?(sql) ?? sql
        for element in elements {
            if later.count >= Self.laterMax { try settle() }
            let parameters = takeParameters()
            bind(element, parameters)
            later.append(Statement(sql: sql, parameters: parameters))
        }
        if open == nil || beforeStatement != nil { try settle() }
    }

    /// Runs the waiting statements, and returns when all have succeeded.
    package func settle() throws(PostgresError) {
        guard !later.isEmpty else { return }
        try beginPipeline()
        _ = try endPipeline(keeping: 0)
    }

    /// Drops the waiting statements.
    func dropLater() {
        for statement in later { takeBack(statement.parameters) }
        later.removeAll(keepingCapacity: true)
    }

    /// Runs the waiting statements, and returns the number of rows that the last statement changed.
    package func lastChanges() throws(PostgresError) -> Int {
        try settle()
        return changes
    }

    /// Runs a statement for each element in order, in one round trip, and returns the results.
    ///
    /// - Throws: The first failure. In a transaction, the statements of earlier elements aren't undone until the
    ///   transaction is rolled back.
    func pipeline<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, PostgresParameters) -> Void
    ) throws(PostgresError) -> [PostgresResult] {
        let sql = beforeStatement?(sql) ?? sql
        guard !elements.isEmpty else { return [] }
        let parameters = takeParameters()
        defer { takeBack(parameters) }
        try beginPipeline()
        for element in elements {
            parameters.removeAll()
            bind(element, parameters)
            try send(sql, parameters)
        }
        return try endPipeline(keeping: elements.count)
    }

    // MARK: One pipeline

    /// Begins a pipeline with the waiting statements.
    func beginPipeline() throws(PostgresError) {
        guard !isGivenUp else { throw PostgresError(message: "the connection was given up") }
        if let open, open.isOver {
            dropLater()
            throw open.tooLong
        }
        try limitPrepared()
        sent.removeAll(keepingCapacity: true)
        guard PQenterPipelineMode(handle) == 1 else { throw lastError }
        defer { dropLater() }
        for statement in later { try send(statement.sql, statement.parameters) }
    }

    /// Ends a pipeline, reads all answers, and returns the results of the last `count` statements.
    func endPipeline(keeping count: Int) throws(PostgresError) -> [PostgresResult] {
        defer { PQexitPipelineMode(handle) }
        guard PQpipelineSync(handle) == 1 else { throw lastError }
        var results: [PostgresResult] = []
        results.reserveCapacity(count)
        var failure: PostgresError?
        // At most one request precedes each statement: the request that prepares it.
        let first = sent.count - 2 * count
        for (place, owed) in sent.enumerated() {
            if open?.isCommitting == true, place == sent.count - 1 { open?.mayCancel = false }
            do throws(PostgresError) {
                let result = try check(try nextAnswer())
                if case .statement = owed {
                    changes = result.changes
                    if place >= first { results.append(result) }
                }
            } catch {
                // After a failure, the server skips the later statements. Their errors don't count.
                failure = failure ?? error
                if case .preparation(let key) = owed { forget(key) }
                if isLost { throw failure ?? error }
            }
            // Each statement's answers end with a null pointer.
            while let more = try nextAnswer() { PQclear(more) }
        }
        PQclear(try nextAnswer())
        if let failure { throw sorted(failure) }
        return results.suffix(count)
    }

    /// Returns the transaction's `tooLong` error if `cancel` ended the statement, otherwise the given error.
    private func sorted(_ error: PostgresError) -> PostgresError {
        guard wasCancelled, error.isTooLong, let open else { return error }
        return open.tooLong
    }
}
