import Storage

/// The size of the remembered requests, page by page: each row is read once, when it is new.
///
/// Rows are added at the end and deleted at the front, so sums of pages are enough; a page counts in full until its
/// last row is deleted.
struct RequestBytes: Sendable {
    private var pages: [RequestTable.Page] = []
    private var first: Int64 = 0
    private var total: Int64 = 0
    /// The number of the last row that was read.
    private(set) var seen: Int64 = 0

    /// Sets the range of the existing rows, nil for none, and removes the pages before it.
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

    /// Removes the oldest page if all pages together are larger than `max` bytes.
    ///
    /// - Returns: The number of the removed page's last row; nil if no page was removed.
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
