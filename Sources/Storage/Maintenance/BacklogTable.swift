package import Domain

/// The backlog of maintenance: rows past their retention that are still there.
package struct BacklogTable {
    let transaction: Transaction

    /// The rows of a table that are past their retention.
    package struct Kind: Sendable {
        /// The table, which names the kind too.
        package var table: String
        /// Which rows count: those whose column lies before a moment.
        package var column: String
        /// A further condition for a row to count.
        package var condition: String?

        /// Names rows.
        package init(_ table: String, _ column: String, and condition: String? = nil) {
            self.table = table
            self.column = column
            self.condition = condition
        }
    }

    /// Returns how many rows of a kind lie before a moment, counted up to a limit.
    package func count(_ kind: Kind, before moment: Instant, limit: Int) throws -> Int64 {
        let more = kind.condition.map { " AND \($0)" } ?? ""
        return try transaction.sql.integer(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM \(kind.table) WHERE \(kind.column) < $1\(more) LIMIT $2) AS waiting
            """,
            moment,
            limit
        ) ?? 0
    }

    /// Returns how many dead letters there are beyond those that are kept.
    package func deadLetters(keeping count: Int) throws -> Int64 {
        let rows = try transaction.sql.integer("SELECT count(*) FROM deadLetter") ?? 0
        return max(0, rows - Int64(count))
    }
}
