import CPostgreSQL

/// Many statements on their way at once (libpq's pipeline mode): one way there and one back for all of them.
///
/// Within a transaction a statement without a result is kept here, and sent together with the next one that has a
/// result, or with the commit. The server runs all of them in their order, so that each sees what those before it did.
/// After a failure it skips the rest, `COMMIT` included; the error is thrown where the next result is taken.
extension PostgresConnection {
    /// How many statements wait at most.
    static let laterMax = 500

    /// A statement that waits, with its values.
    struct Statement {
        let sql: String
        let parameters: PostgresParameters
    }

    /// What the server owes an answer to.
    enum Sent {
        case preparation(PreparedKey)
        case statement
    }

    /// Runs a statement before the next one whose answer is waited for, or before the commit; outside of a
    /// transaction at once.
    package func runLater(
        _ sql: String,
        bind: (PostgresParameters) -> Void = { _ in }
    ) throws(PostgresError) {
        try runLater(sql, each: CollectionOfOne(())) { _, list in bind(list) }
    }

    /// The same once for each element, in order.
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

    /// Runs what waits; returns once all of it has succeeded.
    package func settle() throws(PostgresError) {
        guard !later.isEmpty else { return }
        try beginPipeline()
        _ = try endPipeline(keeping: 0)
    }

    /// Forgets what waits.
    func dropLater() {
        for statement in later { takeBack(statement.parameters) }
        later.removeAll(keepingCapacity: true)
    }

    /// How many rows the last statement changed; runs what waits.
    package func lastChanges() throws(PostgresError) -> Int {
        try settle()
        return changes
    }

    /// Runs a statement for each element, in order, and returns the answers: one way there and one back.
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

    /// Begins a pipeline with what waits.
    func beginPipeline() throws(PostgresError) {
        guard !isGivenUp else { throw PostgresError(message: "the connection was given up") }
        if let open, open.isOver {
            dropLater()
            throw open.tooLong
        }
        try limitPrepared()
        sent.removeAll(keepingCapacity: true)
        guard PQenterPipelineMode(handle) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        defer { dropLater() }
        for statement in later { try send(statement.sql, statement.parameters) }
    }

    /// Ends a pipeline, takes all answers, and returns those of the last so many statements.
    func endPipeline(keeping count: Int) throws(PostgresError) -> [PostgresResult] {
        defer { PQexitPipelineMode(handle) }
        guard PQpipelineSync(handle) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        var results: [PostgresResult] = []
        results.reserveCapacity(count)
        var failure: PostgresError?
        // Each has at most its preparation before it.
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
                // The statements behind it were passed over, which is no failure of theirs.
                failure = failure ?? error
                if case .preparation(let key) = owed { forget(key) }
                if isLost { throw failure ?? error }
            }
            // Each statement's answers end with nothing.
            while let more = try nextAnswer() { PQclear(more) }
        }
        PQclear(try nextAnswer())
        if let failure { throw sorted(failure) }
        return results.suffix(count)
    }

    /// Says of what the server ended at our wish why that was.
    private func sorted(_ error: PostgresError) -> PostgresError {
        guard wasCancelled, error.isTooLong, let open else { return error }
        return open.tooLong
    }
}
