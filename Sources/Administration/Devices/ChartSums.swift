import Domain
import Foundation
import JSON

/// The values of a data point, summarized for each time step.
struct ChartSums {
    let step: TimeStep
    private let zone: TimeZone
    private let rowsMax: Int
    /// The totals of all closed steps, keyed by the beginning of the step.
    private var steps: [Int64: (until: Int64, totals: ValueTotals)] = [:]
    private var open: Range<Int64>?
    private var totals = ValueTotals()

    init(step: TimeStep, zone: TimeZone, rowsMax: Int) { (self.step, self.zone, self.rowsMax) = (step, zone, rowsMax) }

    /// Adds a value; returns false if there are too many steps.
    mutating func add(_ value: JSONValue?, at moment: Int64) -> Bool {
        guard let value, value != .null else { return true }
        guard open?.contains(moment) == true || turn(to: moment) else { return false }
        totals.add(value, at: moment)
        return true
    }

    /// Adds a period's sums, or returns false if no single step contains the period.
    mutating func add(_ sums: ValueTotals, of time: Range<Int64>) -> Bool {
        let bounds = open?.contains(time.lowerBound) == true ? open : bounds(time.lowerBound)
        guard let bounds, bounds.upperBound >= time.upperBound else { return false }
        if bounds != open { _ = turn(to: time.lowerBound, always: true) }
        totals.add(sums)
        return true
    }

    private func bounds(_ moment: Int64) -> Range<Int64> {
        let bounds = step.bounds(of: Instant(milliseconds: moment)) { [zone] moment in
            let date = Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
            return Int64(zone.secondsFromGMT(for: date))
        }
        return bounds.lowerBound.milliseconds..<bounds.upperBound.milliseconds
    }

    /// Opens the step that contains a moment, or returns false if `rowsMax` other steps exist and `always` is false.
    private mutating func turn(to moment: Int64, always: Bool = false) -> Bool {
        close()
        let bounds = bounds(moment)
        guard always || steps[bounds.lowerBound] != nil || steps.count < rowsMax else { return false }
        totals = steps[bounds.lowerBound]?.totals ?? ValueTotals()
        open = bounds
        return true
    }

    private mutating func close() {
        if let open { steps[open.lowerBound] = (open.upperBound, totals) }
        open = nil
    }

    /// Returns the steps as rows in chronological order, and whether rows were left out.
    mutating func finish() -> (rows: [JSONObject], isLong: Bool) {
        close()
        let rows = steps.sorted { $0.key < $1.key }.prefix(rowsMax).map { start, step in
            let (until, totals) = step
            let isNumber = totals.numbers > 0
            return JSONObject(showing: [
                "at": start, "until": until, "min": isNumber ? Shown.number(totals.least) : nil,
                "mean": isNumber ? Shown.number(totals.sum / Double(totals.numbers)) : nil,
                "max": isNumber ? Shown.number(totals.most) : nil, "last": totals.last, "count": totals.count,
            ])
        }
        return (rows, steps.count > rowsMax)
    }
}
