import Domain
import Foundation
import JSON
import Storage

/// Values summed up by steps of time; steps without values are left out.
struct SummaryRows: HistoryRows {
    private let question: HistoryQuestion
    private let summary: HistoryQuestion.Summary
    private let bytesMax: Int
    private let zone: TimeZone?
    private var rows: [JSONValue] = []
    private var bytes = 0
    private var bounds: Range<Instant>?
    private var names: [String] = []
    private var values: [String: ValueSummary] = [:]

    init(_ question: HistoryQuestion, _ summary: HistoryQuestion.Summary, bytesMax: Int) {
        self.question = question
        self.summary = summary
        self.bytesMax = bytesMax
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
        for member in record.data?.members ?? [] where isWanted(member) {
            if values[member.key] == nil { names.append(member.key) }
            values[member.key, default: ValueSummary()].add(member.value)
        }
        return true
    }

    private func isWanted(_ member: JSONObject.Member) -> Bool {
        if let name = question.attribute, !name.isSame(as: member.key) { return false }
        return member.value != .null && !question.hidden.contains(member.key)
    }

    private func stepBounds(_ moment: Instant) -> Range<Instant> {
        summary.step.bounds(of: moment) { [zone] moment in
            let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
            return Int64(zone?.secondsFromGMT(for: date) ?? 0)
        }
    }

    /// Ends the open step; false if its row no longer fits.
    private mutating func close() -> Bool {
        guard let bounds, let row = row(bounds.lowerBound) else {
            begin()
            return true
        }
        let size = row.encoded().count + 1
        guard rows.isEmpty || bytes + size <= bytesMax else { return false }
        rows.append(row)
        bytes += size
        begin()
        return true
    }

    private mutating func begin() {
        bounds = nil
        (names, values) = ([], [:])
    }

    private func row(_ start: Instant) -> JSONValue? {
        let made = names.compactMap { name in
            values[name]?.value(summary.function).map { JSONObject.Member(key: name, value: $0) }
        }
        guard let first = made.first else { return nil }
        let ts = JSONValue.integer(start.milliseconds)
        return question.attribute == nil
            ? .object(["ts": ts, "data": .object(JSONObject(members: made))])
            : .object(["ts": ts, "value": first.value])
    }

    mutating func page(_ page: HistoryPage, isCut: Bool, at place: HistoryPlace) -> HistoryPage {
        var page = page
        if !isCut, close() {
            page.rows = rows
            return page
        }
        page.rows = rows
        guard let bounds else { return page }
        // The next page sums the step up again, from its beginning.
        page.place = HistoryPlace(max(bounds.lowerBound, question.place.ts))
        // Steps without a value leave no row, but count as done.
        if rows.isEmpty, bounds.lowerBound <= question.place.ts {
            page.refusal = .invalid(
                "params.every",
                "One step holds more records than one answer looks at; choose a shorter one."
            )
        }
        return page
    }
}
