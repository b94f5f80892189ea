import PostgreSQL

/// The time limit of a transaction on PostgreSQL.
///
/// A long transaction keeps others from the rows that it has locked, other processes from its lane, and the server from
/// clearing away deleted rows.
///
/// The time is checked before each statement is sent and while its answer is awaited. Past the limit, the running
/// statement is cancelled, the transaction is undone, and it is run again (`RunAgain`). A worker then tries the halves
/// of its batch, so that work too large for one transaction gets through. In a frozen process, the server's timeout,
/// which is as long, ends each statement, and the transaction is undone two seconds later. The commit itself takes as
/// long as the standby takes.
///
/// The limit applies to the service's transactions, including reads: long scans continue in another transaction. It
/// doesn't apply to commands beside the service, since `user export`, `migrate` and `doctor` read everything in one
/// state, nor to migrations of the tables. In these each statement ends after 15 s, except in a migration.
package struct TransactionBound: Sendable {
    /// The longest time of the service's transactions: 5 seconds.
    package static let service = TransactionBound(.seconds(5))

    let longest: Duration

    /// Creates another limit, of whole milliseconds.
    package init(_ longest: Duration) { self.longest = longest }

    /// The statement that sets the server's timeout for each statement of the transaction.
    fileprivate var setting: String { "SET LOCAL statement_timeout = \(Int64(longest / .milliseconds(1)))" }
}

extension PostgresConnection {
    /// Runs a transaction within a limit; `begin` are the statements that it begins with.
    func transaction<Value>(
        beginningWith begin: [String] = ["BEGIN"],
        within bound: TransactionBound?,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let bound else { return try transaction(beginningWith: begin, body) }
        // After `BEGIN`, before any statement that can wait.
        let beginning = begin.prefix(1) + [bound.setting] + begin.dropFirst()
        return try transaction(
            beginningWith: Array(beginning),
            within: bound.longest,
            body
        )
    }
}
