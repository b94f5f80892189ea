import Storage

/// The size of the remembered requests, page by page: each row is read once, when it is new.
///
/// Rows come at the end and leave at the front, so that sums of neighbours are enough; a page of which some rows
/// have left counts whole until the last has.
struct RequestBytes: Sendable {
    private var pages: [RequestTable.Page] = []
    private var first: Int64 = 0
    private var total: Int64 = 0
    /// The number of the last row that was read.
    private(set) var seen: Int64 = 0

    /// Notes the rows that exist, nil for none, and removes the pages before them.
    mutating func begin(with rows: ClosedRange<Int64>?) {
        let first = rows?.lowerBound ?? 0
        // A table that was empty numbers its rows from 1 again.
        if first < self.first || rows?.upperBound ?? 0 < seen { self = RequestBytes() }
        self.first = first
        while let page = pages.first, page.last < first { pop(page) }
    }

    /// Adds the rows behind the last page.
    mutating func append(_ page: RequestTable.Page) {
        pages.append(page)
        total += page.bytes
        seen = page.last
    }

    /// Removes the oldest page where all of them are larger than `max`.
    ///
    /// - Returns: The number of its last row; nil where they are not larger.
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
