import Testing

@testable import Console

@Suite("Finding new rows of a log") struct LogReaderTests {
    /// The ids of the rows that the log contains.
    private var rows: [Int64] = []
    private var position: Int64?

    private mutating func look(_ reader: inout LogReader) throws -> [Int64] {
        let rows = rows.sorted()
        return try reader.newRows(after: &position, newest: { rows.last ?? 0 }, id: { $0 }) {
            id,
            limit in
            Array(rows.filter { $0 > id }.prefix(limit))
        }
    }

    @Test("Each row is returned once, from the first look on, and no more than the limit at a time")
    mutating func once() throws {
        for distance: Int64 in [0, 10] {
            (rows, position) = ([1, 2, 3], nil)
            var reader = LogReader(distance: distance, limit: 2)
            #expect(try look(&reader) == [])
            rows += [4, 5, 6]
            #expect(try look(&reader) == [4, 5])
            #expect(try look(&reader) == [6])
            #expect(try look(&reader) == [])
        }
    }

    @Test("A row that becomes visible after a row with a larger number is returned, unless its number is far smaller")
    mutating func late() throws {
        (rows, position) = ([100], nil)
        var reader = LogReader(distance: 10, limit: 100)
        #expect(try look(&reader) == [])
        rows += [95, 104]
        #expect(try look(&reader) == [95, 104])
        rows += [103, 80]
        #expect(try look(&reader) == [103])
        #expect(position == 104)
        rows += [130]
        #expect(try look(&reader) == [130])
        #expect(try look(&reader) == [])
    }

    @Test("After a quiet period, no rows are examined until a new row arrives")

    mutating func quiet() throws {
        (rows, position) = ([100], 100)
        var reader = LogReader(distance: 10, limit: 100)
        var looked: [Int64] = []
        func look(after seconds: Int64) throws -> [Int64] {
            try reader.newRows(
                after: &position,
                at: start + .seconds(seconds),
                newest: { 0 },
                id: { $0 },
                page: { id, limit in
                    looked.append(id)
                    return Array(rows.sorted().filter { $0 > id }.prefix(limit))
                }
            )
        }
        let start = ContinuousClock.now
        _ = try look(after: 1)
        _ = try look(after: 9)
        _ = try look(after: 12)
        #expect(looked == [90, 90, 90, 100])
        rows += [103]
        #expect(try look(after: 20) == [103])
        rows += [99]
        #expect(try look(after: 21) == [99])
        #expect(try look(after: 22) == [])
    }

    @Test("A returning reader gets the rows that arrived meanwhile, each once") mutating func back() throws {
        (rows, position) = ([95, 99, 104], 99)
        var reader = LogReader(distance: 10, limit: 100)
        #expect(try look(&reader) == [104])
        rows += [98]
        #expect(try look(&reader) == [98])
    }
}
