import Storage

/// The total size of the remembered requests, with one sum for each page.
///
/// Rows are added at the table's end and deleted at its front. All bytes of a page count until its last row is deleted.
struct RequestBytes: Sendable {
    private var pages: [RequestTable.Page] = []
    private var first: Int64 = 0
    private var total: Int64 = 0
    /// The number of the last row that was read.
    private(set) var seen: Int64 = 0

    /// Sets the range of the existing rows (nil if there are none), and removes the pages before the range.
    mutating func begin(with rows: ClosedRange<Int64>?) {
        let first = rows?.lowerBound ?? 0
        // After a table has become empty, its rows are numbered from 1 again.
        if first < self.first || rows?.upperBound ?? 0 < seen { self = RequestBytes() }
        self.first = first
        while let page = pages.first, page.last < first { pop(page) }
    }

    /// Adds the next page of rows.
    mutating func append(_ page: RequestTable.Page) {
        pages.append(page)
        total += page.bytes
        seen = page.last
    }

    /// If the pages exceed `max` bytes, removes the oldest page and returns the number of its last row.
    mutating func popExcess(over max: Int64) -> Int64? {
        guard total > max, let page = pages.first else { return nil }
        pop(page)
        return page.last
    }

    private mutating func pop(_ page: RequestTable.Page) {
        pages.removeFirst()
        total -= page.bytes
    }
}
