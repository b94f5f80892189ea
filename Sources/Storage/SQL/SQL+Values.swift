/// Queries for a single column, queries with a single parameter, and statements whose changed rows are counted.
extension SQL {
    /// Runs a statement that returns no rows; returns the number of rows that the statement changed.
    package func rowsChanged<each Value: ColumnValue>(_ sql: String, _ values: repeat each Value) throws -> Int {
        try run(sql, repeat each values)
        return try changes
    }

    /// Returns the first column of all rows.
    package func values<Value: ColumnValue, each Argument: ColumnValue>(
        _ sql: String,
        _ arguments: repeat each Argument
    ) throws -> [Value] {
        try query(sql, repeat each arguments) { $0.next() }
    }

    /// Returns the first column of the first row; nil if there is no row or the column is NULL.
    package func value<Value: ColumnValue, each Argument: ColumnValue>(
        _ sql: String,
        _ arguments: repeat each Argument
    ) throws -> Value? {
        try first(sql, repeat each arguments) { $0.next(Value?.self) } ?? nil
    }

    /// Runs a query once for each element, with the element as the parameter; for each row found, passes the element
    /// and the row to `row`.
    package func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        row: (Elements.Element, inout Row) throws -> Void
    ) throws where Elements.Element: ColumnValue { try query(sql, each: elements, { $0 }, row: row) }
}
