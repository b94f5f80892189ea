package import Domain
package import JSON
package import Storage
import Wire

/// A page of a device's past.
package struct HistoryPage: Sendable {
    /// The rows, as the contract shows them.
    package var rows: [JSONValue] = []
    /// Where to go on; nil at the end.
    package var place: HistoryPlace?
    /// How many records were looked at.
    package var visited = 0
    /// Nothing in it is older.
    package var since: Instant
    /// Why there is no page.
    package var refusal: Rejection?
}

/// Answers questions about devices' past, beside the workers: it only reads, and never holds up the
/// path.
package struct HistoryReader: Sendable {
    private let store: Store
    private let scanMax: Int
    private let bytesMax: Int
    /// Records that one read of the store looks at: a long read keeps the log from being copied.
    private static let stepRecords = 20_000

    /// Reads a store; an answer looks at so many records at most, and has so many bytes.
    package init(_ store: Store, scanMax: Int, bytesMax: Int = Payload.bytesMax - 2048) {
        self.store = store
        self.scanMax = scanMax
        self.bytesMax = bytesMax
    }

    /// Answers a question.
    package func page(_ question: HistoryQuestion) throws -> HistoryPage {
        guard let summary = question.summary else {
            var rows = PlainRows(question, bytesMax: bytesMax)
            return try collect(question, &rows)
        }
        var rows = SummaryRows(question, summary, bytesMax: bytesMax)
        return try collect(question, &rows)
    }

    private func collect(
        _ question: HistoryQuestion,
        _ rows: inout some HistoryRows
    ) throws -> HistoryPage {
        var page = HistoryPage(since: question.place.ts)
        var place = question.place
        while true {
            var count = 0
            var isStopped = false
            page.visited += try store.read { tx in
                try tx.history.scan(question.did, from: place, to: question.to) { record, next in
                    guard rows.take(record, at: place) else {
                        isStopped = true
                        return false
                    }
                    place = next
                    count += 1
                    return count < Self.stepRecords
                }
            }
            if isStopped { return rows.page(page, isCut: true, at: place) }
            if count < Self.stepRecords { return rows.page(page, isCut: false, at: place) }
            if page.visited >= scanMax { return rows.page(page, isCut: true, at: place) }
        }
    }
}
