import CPostgreSQL

/// Transactions: begun with their first statement, committed with their last, and ended where they last too long.
extension PostgresConnection {
    /// A transaction from its beginning to its end.
    struct OpenTransaction {
        let begun = ContinuousClock.now
        /// How long it may last; nil for as long as it takes.
        let limit: Duration?
        /// Whether its commit has been sent.
        var isCommitting = false
        /// Whether what runs may be ended: not the commit alone, which a server that waits for its standby would then
        /// call done.
        var mayCancel = true

        /// When it is over.
        var end: ContinuousClock.Instant? { limit.map { begun + $0 } }
        /// Whether its time is over.
        var isOver: Bool { end.map { $0 <= .now } ?? false }

        /// What is thrown where it lasts longer.
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
    /// `begin` are the statements that it begins with, which leave with the first one whose answer is waited for. With
    /// `limit` nothing is sent any more once it has lasted so long, and the server is asked to end what runs then.
    /// - Throws: What `body` throws, or a `PostgresError`: of class 08007 where the commit has no answer, or none to
    ///   rely on, so that it may have been carried out; `isTooLong` where it lasted too long.
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
        // Undoing takes no time, and must not fail for want of it.
        open = nil
        if isInTransaction { _ = try? execute("ROLLBACK") }
    }

    /// Commits, together with what waits.
    private func commit() throws(PostgresError) {
        var result: PostgresResult?
        do {
            let statement = beforeStatement?("COMMIT") ?? "COMMIT"
            try beginPipeline()
            // Answers to all before it come when they are there, so that its own time is known.
            PQsendFlushRequest(handle)
            try send(statement, PostgresParameters())
            open?.isCommitting = true
            result = try endPipeline(keeping: 1).last
        } catch {
            rollBack()
            guard isLost else { throw error }
            throw PostgresError(
                state: PostgresError.unknownOutcome,
                message: "the commit was not answered"
            )
        }
        // The server answers so, without an error, where a statement failed and the failure was passed over.
        guard result?.command == "COMMIT" else {
            throw PostgresError(state: "25P02", message: "a statement of the transaction failed")
        }
        // The wish may have reached the server while it waited for its standby, which it then does no longer.
        guard !wasCancelled else {
            throw PostgresError(
                state: PostgresError.unknownOutcome,
                message: "the commit was cut short"
            )
        }
    }

    /// Asks the server to end what runs (`PQcancel`); its answer then is that it was ended, or that it was done.
    func cancel() {
        wasCancelled = true
        guard let request = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(request) }
        var complaint = [CChar](repeating: 0, count: 256)
        PQcancel(request, &complaint, Int32(complaint.count))
    }

    // MARK: Pieces

    /// Runs a piece of a transaction so that its failure undoes that piece alone.
    ///
    /// What waits before it leaves first, and what it leaves behind before it ends: a failure is told where it belongs.
    package func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        let begin = "SAVEPOINT piece"
        let isLate = later.isEmpty && beforeStatement == nil
        try runLater(begin)
        // Where nothing waits before it, it can't fail, and leaves with the piece's first statement.
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
