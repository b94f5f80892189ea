import CPostgreSQL

/// Transactions, which begin with their first statement, commit with their last, and end if they take too long.
extension PostgresConnection {
    /// A transaction from its beginning to its end.
    struct OpenTransaction {
        let begun = ContinuousClock.now
        /// The longest time that it may take; nil for no limit.
        let limit: Duration?
        /// Whether its commit has been sent.
        var isCommitting = false
        /// Whether the running statement may be cancelled: not a commit that runs alone, which a server that waits for
        /// its standby would then report as done.
        var mayCancel = true

        /// When its time is over; nil for no limit.
        var end: ContinuousClock.Instant? { limit.map { begun + $0 } }
        /// Whether its time is over.
        var isOver: Bool { end.map { $0 <= .now } ?? false }

        /// The error that is thrown if it takes longer.
        var tooLong: PostgresError {
            let seconds = (limit ?? .zero) / .seconds(1)
            return PostgresError(
                state: PostgresError.cancelled,
                message: "the transaction took longer than \(seconds) s"
            )
        }
    }

    /// Runs a transaction; a failure undoes all of it.
    ///
    /// `begin` holds the statements that open the transaction; they are sent together with the first later statement
    /// that returns a result. Once the transaction has taken `limit`, nothing more is sent, and the server is asked to
    /// cancel the running statement.
    /// - Throws: Any error of `body`, or a `PostgresError`: of state 08007 if the commit has no reliable answer, so
    ///   that it may have been carried out; `isTooLong` if it took too long.
    package func transaction<Value>(
        beginningWith begin: [String] = ["BEGIN"],
        within limit: Duration? = nil,
        _ body: () throws -> Value
    ) throws -> Value {
        open = OpenTransaction(limit: limit)
        defer { open = nil }
        let value: Value
        do {
            for statement in begin { try runLater(statement) }
            value = try body()
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return value
    }

    private func rollBack() {
        dropLater()
        // Undoing takes no time, and must not fail because the time is over.
        open = nil
        if isInTransaction { _ = try? execute("ROLLBACK") }
    }

    /// Commits, together with the waiting statements.
    private func commit() throws(PostgresError) {
        var result: PostgresResult?
        do {
            let statement = beforeStatement?("COMMIT") ?? "COMMIT"
            try beginPipeline()
            // Makes the server send the earlier statements' answers at once instead of along with the commit's, so that
            // the time of the commit itself is known.
            PQsendFlushRequest(handle)
            try send(statement, PostgresParameters())
            open?.isCommitting = true
            result = try endPipeline(keeping: 1).last
        } catch {
            rollBack()
            guard isLost else { throw error }
            throw PostgresError(state: PostgresError.unknownOutcome, message: "the commit was not answered")
        }
        // The server answers otherwise, without an error, if a statement failed and the failure was ignored.
        guard result?.command == "COMMIT" else {
            throw PostgresError(state: "25P02", message: "a statement of the transaction failed")
        }
        // The request to cancel may have reached the server while it waited for its standby, and ended that wait.
        guard !wasCancelled else {
            throw PostgresError(state: PostgresError.unknownOutcome, message: "the commit was cut short")
        }
    }

    /// Asks the server to cancel the running statement (`PQcancel`), which then either fails or has succeeded.
    func cancel() {
        wasCancelled = true
        guard let request = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(request) }
        var complaint = [CChar](repeating: 0, count: 256)
        PQcancel(request, &complaint, Int32(complaint.count))
    }

    // MARK: Pieces

    /// Runs a piece of a transaction so that its failure undoes only that piece.
    ///
    /// Statements that wait before the piece run first, and its own waiting statements run before it ends, so that a
    /// failure is reported where it belongs.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        let begin = "SAVEPOINT piece"
        let isLate = later.isEmpty && beforeStatement == nil
        try runLater(begin)
        // If nothing waits before it, it can't fail, and is sent with the piece's first statement.
        if !isLate { try settle() }
        do {
            let value = try body()
            let isOwed = !later.isEmpty
            try runLater("RELEASE SAVEPOINT piece")
            if isOwed { try settle() }
            return value
        } catch {
            let wasBegun = later.first?.sql != begin
            dropLater()
            if wasBegun {
                try runLater("ROLLBACK TO SAVEPOINT piece")
                try runLater("RELEASE SAVEPOINT piece")
            }
            throw error
        }
    }
}
