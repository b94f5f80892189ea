/// Queries of one column, and sets of single values.
extension SQL {
    /// Returns the first column of all rows.
    package func values<Value: ColumnValue, each Argument: ColumnValue>(
        _ sql: String,
        _ arguments: repeat each Argument
    ) throws -> [Value] {
        try query(sql, repeat each arguments) { $0.next() }
    }

    /// Returns the first row's first column; nil without a row or for NULL.
    package func value<Value: ColumnValue, each Argument: ColumnValue>(
        _ sql: String,
        _ arguments: repeat each Argument
    ) throws -> Value? {
        try first(sql, repeat each arguments) { $0.next(Value?.self) } ?? nil
    }

    /// Runs a query once for each value, and passes each row with its value to `row`.
    package func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        row: (Elements.Element, inout Row) throws -> Void
    ) throws where Elements.Element: ColumnValue { try query(sql, each: elements, { $0 }, row: row) }
}
