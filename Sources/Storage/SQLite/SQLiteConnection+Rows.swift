import CSQLite
import SQLite

/// Statements with parameters and rows of SQLite.
extension SQLiteConnection {
    /// Runs a statement and lends its rows until `row` returns false.
    func query(_ sql: String, bind: (ParameterTarget) -> Void, row: (RowSource) throws -> Bool) throws {
        try withPrepared(sql) { statement in
            bind(.sqlite(statement))
            while try step(statement) {
                guard try row(.sqlite(statement)) else { break }
            }
        }
    }

    /// Runs a statement for each element, in order, prepared once, and lends its rows.
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
