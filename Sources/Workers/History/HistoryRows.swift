import Domain
import JSON
import Storage

/// Makes the rows of a page from records, one after the other.
protocol HistoryRows {
    /// Adds a record at its place; false if it belongs on the next page.
    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool
    /// Returns the page, which is cut before a place or reaches to the end.
    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage
}

/// The records themselves.
struct PlainRows: HistoryRows {
    private let question: HistoryQuestion
    private let bytesMax: Int
    private var rows: [JSONValue] = []
    private var bytes = 0

    init(_ question: HistoryQuestion, bytesMax: Int) {
        self.question = question
        self.bytesMax = bytesMax
    }

    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool {
        guard let row = row(record) else { return true }
        let size = row.encoded().count + 1
        // A row that is larger than a page stands alone on one.
        guard rows.count < question.limit, rows.isEmpty || bytes + size <= bytesMax else {
            return false
        }
        rows.append(row)
        bytes += size
        return true
    }

    private func row(_ record: HistoryRecord) -> JSONValue? {
        let ts = JSONValue.integer(record.ts.milliseconds)
        if let name = question.attribute {
            return record.data?[name].map { .object(["ts": ts, "value": $0]) }
        }
        let members = record.data?.members.filter {
            $0.value != .null && !question.hidden.contains($0.key)
        }
        return .object([
            "ts": ts, "data": .object(JSONObject(members: members ?? [])),
            "binary": record.binary.map { .string($0) },
        ])
    }

    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage {
        var page = page
        page.rows = rows
        page.place = isCut ? place : nil
        return page
    }
}
