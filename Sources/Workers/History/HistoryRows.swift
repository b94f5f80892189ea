import Domain
import Storage
import Wire

/// A type that collects the rows of one page from consecutive records.
protocol HistoryRows {
    /// Adds the record at `place`, or returns false if the page is full.
    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool
    /// Returns the finished page, cut before `place` if `isCut` is true.
    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage
}

/// Rows that contain the records themselves.
struct PlainRows: HistoryRows {
    private let question: HistoryQuestion
    private var rows: [AnswerRow] = []
    private var bytes = 0

    init(_ question: HistoryQuestion) { self.question = question }

    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool {
        let row = HistoryCodec.row(at: record.ts, data: record.data, binary: record.binary, for: question)
        guard let row else { return true }
        let size = AnswerRows.bytes(of: row)
        // If a row alone has more than `bytesMax` bytes, the page contains only this row.
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
