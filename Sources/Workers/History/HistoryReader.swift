package import Domain
package import Storage
package import Wire

/// A page of a device's history.
package struct HistoryPage: Sendable {
    /// The rows in the answer to `device/history`.
    package var rows: [AnswerRow] = []
    /// The position at which the next page begins, or nil at the end.
    package var place: HistoryPlace?
    /// The number of records read.
    package var visited = 0
    /// The beginning of the span of time that the page covers.
    package var since: Instant
    /// The refusal that is sent instead of the page; nil if the page can be sent.
    package var refusal: Rejection?

    /// The maximum number of bytes of rows, so that an answer fits a payload.
    static let bytesMax = Payload.bytesMax - 2048
}

/// A reader of devices' history outside the workers, so that messages aren't delayed.
package struct HistoryReader: Sendable {
    private let store: Store
    private let scanMax: Int
    /// The maximum number of records in one read, because SQLite's write-ahead log grows during a long read.
    private static let stepRecords = 20_000

    /// Creates a reader that reads at most `scanMax` records for each page.
    package init(_ store: Store, scanMax: Int) {
        self.store = store
        self.scanMax = scanMax
    }

    /// Returns the page that answers a question.
    package func page(_ question: HistoryQuestion) throws -> HistoryPage {
        guard let summary = question.summary else {
            var rows = PlainRows(question)
            return try collect(question, &rows)
        }
        var rows = SummaryRows(question, summary)
        return try collect(question, &rows)
    }

    private func collect(_ question: HistoryQuestion, _ rows: inout some HistoryRows) throws -> HistoryPage {
        var page = HistoryPage(since: question.place.ts)
        var place = question.place
        while true {
            var count = 0
            var isStopped = false
            let countMax = min(Self.stepRecords, scanMax - page.visited)
            page.visited += try store.read { tx in
                try tx.history.scan(question.did, from: place, to: question.to) { record, next in
                    guard rows.take(record, at: place) else {
                        isStopped = true
                        return false
                    }
                    place = next
                    count += 1
                    return count < countMax
                }
            }
            if isStopped { return rows.page(page, isCut: true, at: place) }
            if count < countMax { return rows.page(page, isCut: false, at: place) }
            if page.visited >= scanMax { return rows.page(page, isCut: true, at: place) }
        }
    }
}
