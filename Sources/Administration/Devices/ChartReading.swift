import Domain
import JSON
import Storage

/// A reader of the values of one data point.
///
/// If the chart's steps are hours, days, weeks or months, the reader uses stored sums (`HistoryDayTable`) where they
/// exist. Otherwise, it reads the records.
struct ChartReading {
    let store: Store
    let did: DeviceID
    let name: String
    let from: Instant
    let to: Instant

    /// The maximum number of records that one chart reads.
    private static let scanMax = 2_000_000
    /// The maximum number of records in one read.
    ///
    /// The limit keeps each read short, because SQLite's write-ahead log grows during a long read.
    private static let stepRecords = 20_000

    /// Adds all values, and returns whether a complete chart would be too large.
    func read(into sums: inout ChartSums) throws -> Bool {
        var left: [Range<Int64>] = [from.milliseconds..<to.milliseconds]
        if sums.step.isCalendar || sums.step.unit == .hour { left = try store.read { tx in try addSums(tx, &sums) } }
        var visited = 0
        for time in left where try scan(time, &visited, into: &sums) {
            return true
        }
        return false
    }

    /// Adds the sums of all days that have sums, and returns the remaining periods.
    ///
    /// The sums do not include records that are still in the history buffer. For the days that have sums, these records
    /// are added in the transaction that reads the sums. So each record counts exactly once.
    private func addSums(
        _ tx: Transaction,
        _ sums: inout ChartSums
    ) throws -> [Range<Int64>] {
        let half = HistoryDay.half
        let (first, end) = (from.milliseconds, to.milliseconds)
        let whole = (first + half - 1) / half * half..<max((first + half - 1) / half * half, end / half * half)
        let days = HistoryDay.number(of: first)...HistoryDay.number(of: end - 1)
        var (left, place) = ([Range<Int64>](), first)
        for day in try tx.history.days.sums(of: name, did, days: days) {
            let time = HistoryDay.time(of: day.day).clamped(to: whole)
            guard !time.isEmpty else { continue }
            if place < time.lowerBound { left.append(place..<time.lowerBound) }
            place = time.upperBound
            for (number, totals) in day.halves {
                let start = day.day * HistoryDay.length + number * half
                guard time.contains(start) else { continue }
                // In some time zones, a step begins in the middle of a stored half hour. The half hour then belongs to
                // two steps, so its records are read one by one.
                if !sums.add(totals, of: start..<start + half) { left.append(start..<start + half) }
            }
        }
        if place < end { left.append(place..<end) }
        try tx.history.buffered(did, from: from, to: to) { [left] record in
            let at = record.ts.milliseconds
            guard !left.contains(where: { $0.contains(at) }) else { return }
            _ = sums.add(record.data?[name], at: at)
        }
        return left
    }

    private func scan(_ time: Range<Int64>, _ visited: inout Int, into sums: inout ChartSums) throws -> Bool {
        var place = HistoryPlace(Instant(milliseconds: time.lowerBound))
        while true {
            var (count, isFull) = (0, false)
            visited += try store.read { tx in
                let end = Instant(milliseconds: time.upperBound)
                return try tx.history.scan(did, from: place, to: end) { record, next in
                    guard sums.add(record.data?[name], at: record.ts.milliseconds) else {
                        isFull = true
                        return false
                    }
                    place = next
                    count += 1
                    return count < Self.stepRecords
                }
            }
            if isFull || visited >= Self.scanMax { return true }
            if count < Self.stepRecords { return false }
        }
    }
}
