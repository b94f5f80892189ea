import CPostgreSQL

/// Many statements on their way at once (libpq's pipeline mode).
extension PostgresConnection {
    /// Runs a statement for each element, in order, and returns the answers: one way there and one back.
    ///
    /// - Throws: The first failure, which undoes none of the elements before it: the transaction does.
    func pipeline<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, PostgresParameters) -> Void
    ) throws(PostgresError) -> [PostgresResult] {
        let sql = beforeStatement?(sql) ?? sql
        let parameters = PostgresParameters()
        var name: String?
        var sent = 0
        for element in elements {
            parameters.removeAll()
            bind(element, parameters)
            // Types belong to the statement, so that the first element's are all elements'.
            if name == nil {
                name = try prepare(sql, parameters)
                PQenterPipelineMode(handle)
            }
            guard send(name ?? "", parameters) else { break }
            sent += 1
        }
        guard name != nil else { return [] }
        defer { PQexitPipelineMode(handle) }
        guard sent == elements.count, PQpipelineSync(handle) == 1 else {
            throw PostgresError(message: PostgresError.message(of: handle))
        }
        return try collect(sent)
    }

    /// Sends a prepared statement; false where the connection is lost.
    func send(_ name: String, _ parameters: PostgresParameters) -> Bool {
        parameters.lend { lent in
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
    }

    /// Takes the answers of so many statements and the mark behind them.
    private func collect(_ count: Int) throws(PostgresError) -> [PostgresResult] {
        var results: [PostgresResult] = []
        results.reserveCapacity(count)
        var failure: PostgresError?
        for _ in 0..<count {
            do {
                results.append(try check(try nextAnswer()))
            } catch {
                // The statements behind it were passed over, which is no failure of theirs.
                failure = failure ?? error
                if isLost { throw error }
            }
            // Each statement's answers end with nothing.
            while let more = try nextAnswer() { PQclear(more) }
        }
        PQclear(try nextAnswer())
        if let failure { throw failure }
        changes = results.last?.changes ?? 0
        return results
    }
}
