import Domain
import Storage
import Wire

/// A collector of a page's rows from consecutive records.
protocol HistoryRows {
    /// Adds a record at its place; false if it belongs on the next page.
    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool
    /// Returns the page, cut before a place or complete.
    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage
}

/// Rows with the records themselves.
struct PlainRows: HistoryRows {
    private let question: HistoryQuestion
    private var rows: [AnswerRow] = []
    private var bytes = 0

    init(_ question: HistoryQuestion) { self.question = question }

    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool {
        let row = HistoryCodec.row(at: record.ts, data: record.data, binary: record.binary, for: question)
        guard let row else { return true }
        let size = AnswerRows.bytes(of: row)
        // A row larger than a page stands alone on a page.
        guard rows.count < question.limit,
            rows.isEmpty || bytes + size <= HistoryPage.bytesMax
        else { return false }
        rows.append(row)
        bytes += size
        return true
    }

    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage {
        var page = page
        page.rows = rows
        page.place = isCut ? place : nil
        return page
    }
}
