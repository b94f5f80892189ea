import CPostgreSQL

/// Many statements in one round trip (libpq's pipeline mode).
///
/// Within a transaction a statement without a result waits, and is sent together with the next one that has a result,
/// or with the commit. The server runs all of them in their order, so that each sees the effects of the earlier ones.
/// After a failure it skips the rest, `COMMIT` included; the error is thrown where the next result is taken.
extension PostgresConnection {
    /// The maximum number of statements that wait.
    static let laterMax = 500

    /// A statement that waits, with its values.
    struct Statement {
        let sql: String
        let parameters: PostgresParameters
    }

    /// A request that the server has not answered.
    enum Sent {
        case preparation(PreparedKey)
        case statement
    }

    /// Runs a statement before the next one that has a result, or before the commit; outside a transaction, at once.
    package func runLater(_ sql: String, bind: (PostgresParameters) -> Void = { _ in }) throws(PostgresError) {
        try runLater(sql, each: CollectionOfOne(())) { _, list in bind(list) }
    }

    /// Runs a statement like the other `runLater`, once for each element, in order.
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

    /// Runs the waiting statements; returns once all have succeeded.
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

    /// Runs the waiting statements and returns how many rows the last one changed.
    package func lastChanges() throws(PostgresError) -> Int {
        try settle()
        return changes
    }

    /// Runs a statement for each element, in order, in one round trip, and returns the answers.
    ///
    /// - Throws: The first failure, which undoes none of the elements before it: the transaction does.
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
        guard PQenterPipelineMode(handle) == 1 else { throw PostgresError(message: PostgresError.message(of: handle)) }
        defer { dropLater() }
        for statement in later { try send(statement.sql, statement.parameters) }
    }

    /// Ends a pipeline, takes all answers, and returns those of the last `count` statements.
    func endPipeline(keeping count: Int) throws(PostgresError) -> [PostgresResult] {
        defer { PQexitPipelineMode(handle) }
        guard PQpipelineSync(handle) == 1 else { throw PostgresError(message: PostgresError.message(of: handle)) }
        var results: [PostgresResult] = []
        results.reserveCapacity(count)
        var failure: PostgresError?
        // Each statement has at most its preparation before it.
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
                // The server skipped the later statements, which is not their failure.
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

    /// Returns the reason for a statement that `cancel` ended; any other error unchanged.
    private func sorted(_ error: PostgresError) -> PostgresError {
        guard wasCancelled, error.isTooLong, let open else { return error }
        return open.tooLong
    }
}
