import PostgreSQL

/// The time limit of a transaction on PostgreSQL.
///
/// A long transaction would delay other transactions that need its locks. It would also delay another process that
/// takes over the worker's lane (`LeaseTable`), and the server's removal of deleted rows.
///
/// The time is checked before each statement and while the process waits for a result. At the limit, the statement is
/// cancelled. The transaction is undone and run again (`RunAgain`). If the second run fails too, a worker halves its
/// batch. Thus work that is too large for one transaction still succeeds. If the process is frozen, the server ends the
/// statement after the same time. Two seconds later, the server undoes the transaction. The commit has no limit, since
/// it may wait for a standby.
///
/// In the service, the limit applies to all transactions, even reads. A long scan therefore uses several transactions.
/// The limit doesn't apply to commands. `user export`, `migrate` and `doctor` must read everything from one state of
/// the database. The limit doesn't apply to migrations either. In a command, the server cancels each statement that
/// lasts longer than 15 s. In a migration, the server has no limit for statements.
package struct TransactionBound: Sendable {
    /// The time limit of the service's transactions: 5 seconds.
    package static let service = TransactionBound(.seconds(5))

    let longest: Duration

    /// Creates a time limit; `longest` must be a whole number of milliseconds.
    package init(_ longest: Duration) { self.longest = longest }

    /// The SQL that sets the server's timeout for the transaction's statements.
    fileprivate var setting: String { "SET LOCAL statement_timeout = \(Int64(longest / .milliseconds(1)))" }
}

extension PostgresConnection {
    /// Begins a transaction with the statements `begin`, and runs it with the limit.
    func transaction<Value>(
        beginningWith begin: [String] = ["BEGIN"],
        within bound: TransactionBound?,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let bound else { return try transaction(beginningWith: begin, body) }
        // The limit is set right after `BEGIN`, before any statement that can wait.
        let beginning = begin.prefix(1) + [bound.setting] + begin.dropFirst()
        return try transaction(beginningWith: Array(beginning), within: bound.longest, body)
    }
}
