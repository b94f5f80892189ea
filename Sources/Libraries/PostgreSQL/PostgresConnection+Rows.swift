/// Functions that read all rows together, fetch rows in steps, or run a statement for each element.
extension PostgresConnection {
    /// The maximum number of elements in one round trip.
    ///
    /// All answers stay in memory until the last one arrives.
    static let pipelineMax = 500
    /// The row counts of the first fetch and of the largest fetch.
    ///
    /// The first fetch is small, because the reader might stop soon.
    static let fetchSizes = (first: 16, most: 256)

    /// Runs a statement, and calls `row` with each row until `row` returns false.
    package func query(_ sql: String, bind: (PostgresParameters) -> Void, row: (PostgresRow) throws -> Bool) throws {
        let result = try withParameters { parameters in
            bind(parameters)
            return try execute(sql, parameters)
        }
        try result.forEach(row)
    }

    /// Runs a statement for each element, in order, and passes result rows to `row`.
    ///
    /// Each round trip sends up to a few hundred elements.
    package func query<Elements: Collection>(
        _ sql: String,
        each elements: Elements,
        bind: (Elements.Element, PostgresParameters) -> Void,
        row: (Elements.Element, PostgresRow) throws -> Void
    ) throws {
        var rest = elements[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.pipelineMax)
            rest = rest.dropFirst(part.count)
            // All answers are read before any row is handled, because `row` can run another statement.
            let results = try pipeline(sql, each: part, bind: bind)
            for (element, result) in zip(part, results) {
                try result.forEach { found in
                    try row(element, found)
                    return true
                }
            }
        }
    }

    /// Runs a query within a transaction, and calls `row` with each row until `row` returns false.
    ///
    /// The rows are fetched in small steps (`DECLARE CURSOR`). A reader that stops early therefore costs little.
    package func scan(_ sql: String, bind: (PostgresParameters) -> Void, row: (PostgresRow) throws -> Bool) throws {
        let cursor = "scan\(openCursors)"
        try runLater("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", bind: bind)
        openCursors += 1
        defer {
            openCursors -= 1
            // If the transaction has failed, its rollback closes the cursor.
            if !hasFailed { try? runLater("CLOSE \(cursor)") }
        }
        var size = Self.fetchSizes.first
        var isWanted = true
        while isWanted {
            let page = try withParameters { none in try execute("FETCH FORWARD \(size) FROM \(cursor)", none) }
            try page.forEach { found in
                isWanted = try row(found)
                return isWanted
            }
            guard page.count == size else { break }
            size = min(size * 4, Self.fetchSizes.most)
        }
    }
}
