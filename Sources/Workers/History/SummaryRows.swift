import Domain
import Foundation
import Storage
import Wire

/// Rows that each sum up the values of one time step; time steps without values are left out.
struct SummaryRows: HistoryRows {
    private let question: HistoryQuestion
    private let summary: HistoryQuestion.Summary
    private let zone: TimeZone?
    private var rows: [AnswerRow] = []
    private var bytes = 0
    private var bounds: Range<Instant>?
    private var values = StepSummary()

    init(_ question: HistoryQuestion, _ summary: HistoryQuestion.Summary) {
        self.question = question
        self.summary = summary
        zone = TimeZone(identifier: summary.timezone)
    }

    mutating func take(_ record: HistoryRecord, at place: HistoryPlace) -> Bool {
        if let bounds, !bounds.contains(record.ts), !close() { return false }
        if bounds?.contains(record.ts) != true {
            // The records of this step begin the next page.
            guard rows.count < question.limit else {
                bounds = stepBounds(record.ts)
                return false
            }
            bounds = stepBounds(record.ts)
        }
        values.add(record.data, for: question)
        return true
    }

    private func stepBounds(_ moment: Instant) -> Range<Instant> {
        summary.step.bounds(of: moment) { [zone] moment in
            let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
            return Int64(zone?.secondsFromGMT(for: date) ?? 0)
        }
    }

    /// Ends the open step, or returns false if its row doesn't fit.
    private mutating func close() -> Bool {
        let row = bounds.flatMap { bounds in
            HistoryCodec.row(from: bounds.lowerBound, values: values.values(by: summary.function), for: question)
        }
        guard let row else {
            begin()
            return true
        }
        let size = AnswerRows.bytes(of: row)
        guard rows.isEmpty || bytes + size <= HistoryPage.bytesMax else { return false }
        rows.append(row)
        bytes += size
        begin()
        return true
    }

    private mutating func begin() {
        bounds = nil
        values = StepSummary()
    }

    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage {
        var page = page
        if !isCut, close() {
            page.rows = rows
            return page
        }
        page.rows = rows
        guard let bounds else { return page }
        // The next page sums up this step again, from the step's beginning.
        page.place = HistoryPlace(max(bounds.lowerBound, question.place.ts))
        // If the page finished steps but none of these steps has values, the page has no rows. The next page then
        // begins after these steps. The request is refused only if the page can't finish its first step, because the
        // next page would begin with the same step.
        if rows.isEmpty, bounds.lowerBound <= question.place.ts {
            page.refusal = .invalid(
                "params.every",
                "One step contains more records than one answer can read; choose a shorter step."
            )
        }
        return page
    }
}
