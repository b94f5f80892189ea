/// How statements of the store are run: whole, one for each element, and row after row.
extension PostgresConnection {
    /// How many elements are under way at once; their answers are held until the last has come.
    static let pipelineMax = 500
    /// How many rows are fetched at first, and at most: few where the reader may stop soon.
    static let fetchSizes = (first: 16, most: 256)

    /// Runs a statement and lends its rows until `row` returns false.
    package func query(
        _ sql: String,
        bind: (PostgresParameters) -> Void,
        row: (PostgresRow) throws -> Bool
    ) throws {
        let result = try withParameters { parameters in
            bind(parameters)
            return try execute(sql, parameters)
        }
        try result.forEach(row)
    }

    /// Runs a statement for each element, in order, in one go and back for each few hundred, and lends its rows.
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
            // All answers first: what a row leads to may be a statement of its own.
            let results = try pipeline(sql, each: part, bind: bind)
            for (element, result) in zip(part, results) {
                try result.forEach { found in
                    try row(element, found)
                    return true
                }
            }
        }
    }

    /// Runs a query within a transaction and lends its rows until `row` returns false; fetches few at a time, so
    /// that a reader who stops early costs little (`DECLARE CURSOR`).
    package func scan(
        _ sql: String,
        bind: (PostgresParameters) -> Void,
        row: (PostgresRow) throws -> Bool
    ) throws {
        let cursor = "scan\(openCursors)"
        try runLater("DECLARE \(cursor) NO SCROLL CURSOR FOR \(sql)", bind: bind)
        openCursors += 1
        defer {
            openCursors -= 1
            // A failed transaction has none any more, and its end closes it anyway.
            if !hasFailed { try? runLater("CLOSE \(cursor)") }
        }
        var size = Self.fetchSizes.first
        var isWanted = true
        while isWanted {
            let page = try withParameters { none in
                try execute("FETCH FORWARD \(size) FROM \(cursor)", none)
            }
            try page.forEach { found in
                isWanted = try row(found)
                return isWanted
            }
            guard page.count == size else { break }
            size = min(size * 4, Self.fetchSizes.most)
        }
    }
}
