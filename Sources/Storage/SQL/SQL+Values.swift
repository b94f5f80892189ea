/// Queries with one column or one parameter, and statements that count changed rows.
extension SQL {
    /// Runs a statement without a result, and returns how many rows it changed.
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

    /// Returns the first row's first column, or nil if it is missing or NULL.
    package func value<Value: ColumnValue, each Argument: ColumnValue>(
        _ sql: String,
        _ arguments: repeat each Argument
    ) throws -> Value? {
        try first(sql, repeat each arguments) { $0.next(Value?.self) } ?? nil
    }

    /// Runs a query once for each element, and calls the closure `row` with the element and each row found.
    package func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        row: (Elements.Element, inout Row) throws -> Void
    ) throws where Elements.Element: ColumnValue { try query(sql, each: elements, { $0 }, row: row) }
}
