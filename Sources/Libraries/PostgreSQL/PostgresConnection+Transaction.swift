import CPostgreSQL

/// Runs transactions in few round trips, and ends them if they take too long.
extension PostgresConnection {
    /// The state of a running transaction.
    struct OpenTransaction {
        let begun = ContinuousClock.now
        /// The longest time that the transaction may take, or nil for no limit.
        let limit: Duration?
        /// Whether the commit has been sent.
        var isCommitting = false
        /// Whether the running statement may be cancelled.
        ///
        /// When only the commit is still running, it mustn't be cancelled. The server may already have committed, and
        /// be waiting only for its standby. A cancel request would end this wait, and the server would report the
        /// commit as done.
        var mayCancel = true

        /// The moment when the transaction's time is up, or nil if the time isn't limited.
        var end: ContinuousClock.Instant? { limit.map { begun + $0 } }
        /// Whether the transaction's time is up.
        var isOver: Bool { end.map { $0 <= .now } ?? false }

        /// The error that is thrown if the transaction takes too long.
        var tooLong: PostgresError {
            let seconds = (limit ?? .zero) / .seconds(1)
            let message = "the transaction took longer than \(seconds) s"
            return PostgresError(state: PostgresError.cancelled, message: message)
        }
    }

    /// Runs a transaction, which is undone completely if it fails.
    ///
    /// `begin` contains the statements that open the transaction. These statements are sent together with the next
    /// statement that returns a result. After the time `limit`, no more statements are sent. The client then asks the
    /// server to cancel the running statement.
    /// - Throws: Any error of `body`, or a `PostgresError`. State 08007 means that the client got no reliable answer to
    ///   the commit. The commit may or may not have succeeded. `isTooLong` is true if the transaction took too long.
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
        // A rollback takes little time. It must also work after the transaction's time is up.
        open = nil
        if isInTransaction { _ = try? execute("ROLLBACK") }
    }

    private func commit() throws(PostgresError) {
        var result: PostgresResult?
        do {
            let statement = beforeStatement?("COMMIT") ?? "COMMIT"
            try beginPipeline()
            // The server must send the earlier answers at once, not with the commit's answer. The client then knows
            // when only the commit is running.
            PQsendFlushRequest(handle)
            try send(statement, PostgresParameters())
            open?.isCommitting = true
            result = try endPipeline(keeping: 1).last
        } catch {
            rollBack()
            guard isLost else { throw error }
            throw PostgresError(state: PostgresError.unknownOutcome, message: "the commit was not answered")
        }
        // If a failed statement was ignored, the server answers the commit with `ROLLBACK`, not with an error.
        guard result?.command == "COMMIT" else {
            throw PostgresError(state: "25P02", message: "a statement of the transaction failed")
        }
        // The cancel request may have ended the server's wait for the standby.
        guard !wasCancelled else {
            throw PostgresError(state: PostgresError.unknownOutcome, message: "the commit was cut short")
        }
    }

    /// Asks the server to cancel the running statement (`PQcancel`).
    ///
    /// The statement then either fails or has already succeeded.
    func cancel() {
        wasCancelled = true
        guard let request = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(request) }
        var complaint = [CChar](repeating: 0, count: 256)
        PQcancel(request, &complaint, Int32(complaint.count))
    }

    // MARK: Pieces

    /// Runs a part of a transaction, so that a failure undoes only that part.
    ///
    /// Statements that are already waiting are run before the part begins. Statements that `body` queues are run before
    /// the part ends. A statement that fails within the part therefore always belongs to the part.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        let begin = "SAVEPOINT piece"
        let isLate = later.isEmpty && beforeStatement == nil
        try runLater(begin)
        // If no statement is waiting, `SAVEPOINT` can't fail. It is then sent together with the part's first statement.
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
