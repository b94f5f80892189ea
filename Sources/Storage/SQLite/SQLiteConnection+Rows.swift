import CSQLite
import SQLite

/// SQLite statements with parameters and rows.
extension SQLiteConnection {
    /// Runs a statement, and passes its rows to `row` until `row` returns false.
    func query(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        try withPrepared(sql) { statement in
            bind(.sqlite(statement))
            while try step(statement) {
                guard try row(.sqlite(statement)) else { break }
            }
        }
    }

    /// Runs one prepared statement for each element, in order, and passes rows to `row`.
    func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, ParameterTarget) -> Void,
        row: (Elements.Element, RowSource) throws -> Void
    ) throws {
        guard !elements.isEmpty else { return }
        try withPrepared(sql) { statement in
            for element in elements {
                bind(element, .sqlite(statement))
                while try step(statement) { try row(element, .sqlite(statement)) }
                sqlite3_reset(statement)
            }
        }
    }
}
