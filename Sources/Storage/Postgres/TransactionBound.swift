import PostgreSQL

/// How long a transaction on PostgreSQL may last: one that lasts long keeps others from what it has locked, its lane
/// from another process, and the server from clearing away what is deleted.
///
/// Before each statement leaves, and while its answer is waited for, the time is looked at; past it the server is asked
/// to end what runs, the transaction is undone, and it is run again (`RunAgain`). A worker then tries the halves of its
/// batch, so that what was too much at once gets through. Of a frozen process each statement ends by the server's
/// time-out, which is as long, and the transaction is undone two seconds later. The commit itself takes the time that
/// the standby takes.
///
/// The service's transactions have the bound, those that read as well: long scans go on in another one. Those of
/// commands beside the service have none, since `user export`, `migrate` or `doctor` read what there is, in one state;
/// nor have migrations of the tables. There each statement alone ends after 15 s, unless it is a migration's.
package struct TransactionBound: Sendable {
    /// The longest time of the service's transactions: 5 seconds.
    package static let service = TransactionBound(.seconds(5))

    let longest: Duration

    /// Makes another bound, of whole milliseconds.
    package init(_ longest: Duration) { self.longest = longest }

    /// What sets the server's time-out for each statement of the transaction.
    fileprivate var setting: String {
        "SET LOCAL statement_timeout = \(Int64(longest / .milliseconds(1)))"
    }
}

extension PostgresConnection {
    /// Runs a transaction within a bound; `begin` are the statements that it begins with.
    func transaction<Value>(
        beginningWith begin: [String] = ["BEGIN"],
        within bound: TransactionBound?,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let bound else { return try transaction(beginningWith: begin, body) }
        // Behind `BEGIN`, before anything that may wait.
        let beginning = begin.prefix(1) + [bound.setting] + begin.dropFirst()
        return try transaction(
            beginningWith: Array(beginning),
            within: bound.longest,
            body
        )
    }
}
