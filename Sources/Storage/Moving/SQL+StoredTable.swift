/// Functions that read and write rows with all columns that the steps of `Migrations` create.
extension SQL {
    /// Reads rows after a key, until `rowsMax` rows or `bytesMax` bytes are reached.
    func page(of table: StoredTable, behind key: [StoredValue]?, rowsMax: Int, bytesMax: Int) throws -> [[StoredValue]]
    {
        var rows: [[StoredValue]] = []
        var bytes = 0
        let values = (key ?? []) + [.integer(Int64(rowsMax))]
        try scan(table.page(isBehind: key != nil), values) { row in
            let values = Self.values(&row, of: table)
            bytes += values.reduce(0) { $0 + $1.size }
            rows.append(values)
            return bytes < bytesMax
        }
        return rows
    }

    /// Returns the key of a table's last row, or nil if the table is empty.
    func lastKey(of table: StoredTable) throws -> [StoredValue]? {
        var key: [StoredValue]?
        try scan(table.last, []) { row in
            key = table.key(of: Self.values(&row, of: table))
            return false
        }
        return key
    }

    /// Inserts rows.
    func insert(_ rows: [[StoredValue]], into table: StoredTable) throws {
        statementCount += 1
        try engine.query(table.insert, each: rows) { row, target in
            for (place, value) in row.enumerated() { value.bind(to: Parameter(target, Int32(place + 1))) }
        } row: { _, _ in
        }
    }

    private func scan(_ statement: String, _ values: [StoredValue], row: (inout Row) throws -> Bool) throws {
        statementCount += 1
        try engine.scan(statement) { target in
            for (place, value) in values.enumerated() { value.bind(to: Parameter(target, Int32(place + 1))) }
        } row: { source in
            var next = Row(source, self)
            return try row(&next)
        }
    }

    private static func values(_ row: inout Row, of table: StoredTable) -> [StoredValue] {
        table.columns.map { StoredValue(row.nextColumn(), $0.type) }
    }
}
