import PostgreSQL

/// The time limit of a transaction on PostgreSQL.
///
/// A long transaction would keep others from the rows that it has locked, other processes from taking over its lane,
/// and the server from removing deleted rows.
///
/// The time is checked before each statement is sent and while the process waits for the statement's result. When the
/// limit is exceeded, the running statement is cancelled, and the transaction is undone and run again (`RunAgain`). If
/// the second run fails too, a worker tries the two halves of its batch, so that work too large for one transaction
/// still succeeds. If the process is frozen, the server ends a statement after the same time, and undoes the
/// transaction two seconds later. The limit doesn't apply to the commit, which takes as long as a standby takes to
/// confirm it.
///
/// The limit applies to the service's transactions, including those that only read: a long scan continues in another
/// transaction. The limit doesn't apply to commands, since `user export`, `migrate` and `doctor` read everything in one
/// state, nor to migrations of the tables. In a command, each statement ends after 15 s; in a migration, statements
/// have no such limit.
package struct TransactionBound: Sendable {
    /// The time limit of the service's transactions: 5 seconds.
    package static let service = TransactionBound(.seconds(5))

    let longest: Duration

    /// Creates a limit of a whole number of milliseconds.
    package init(_ longest: Duration) { self.longest = longest }

    /// The statement that sets the server's timeout for each statement of the transaction.
    fileprivate var setting: String { "SET LOCAL statement_timeout = \(Int64(longest / .milliseconds(1)))" }
}

extension PostgresConnection {
    /// Runs a transaction with a time limit; `begin` are the statements with which the transaction begins.
    func transaction<Value>(
        beginningWith begin: [String] = ["BEGIN"],
        within bound: TransactionBound?,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let bound else { return try transaction(beginningWith: begin, body) }
        // The limit is set right after `BEGIN`, before any statement that can wait.
        let beginning = begin.prefix(1) + [bound.setting] + begin.dropFirst()
        return try transaction(
            beginningWith: Array(beginning),
            within: bound.longest,
            body
        )
    }
}
