/// A text table with columns as wide as their longest cells.
struct TextTable {
    private var rows: [[String]]

    /// Creates a table with a line of titles.
    init(_ titles: [String]) { rows = [titles] }

    /// Adds a row, in which line breaks and control characters are escaped.
    mutating func add(_ row: [String]) {
        rows.append(row.map { PlainText.of($0) })
    }

    /// The text of the table, without padding in the last column.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == row.count - 1
                    ? cell
                    : cell + String(repeating: " ", count: widths[index] - cell.count)
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
