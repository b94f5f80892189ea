import Domain
import JSON
import Storage

/// The reading of a data point's values in a period, from the stored sums of days (`HistoryDayTable`) and from the
/// records of days without sums.
struct ChartReading {
    let store: Store
    let did: DeviceID
    let name: String
    let from: Instant
    let to: Instant

    /// The maximum number of records that one chart reads.
    private static let scanMax = 2_000_000
    /// The maximum number of records in one read of the store, since a long read keeps the store from copying its log
    /// into the database file.
    private static let stepRecords = 20_000

    /// Adds the stored sums of days that have sums, and the records of all other times; returns whether there were too
    /// many records.
    func read(into sums: inout ChartSums) throws -> Bool {
        var left: [Range<Int64>] = [from.milliseconds..<to.milliseconds]
        if sums.step.isCalendar || sums.step.unit == .hour { left = try store.read { tx in try addSums(tx, &sums) } }
        var visited = 0
        for time in left where try scan(time, &visited, into: &sums) {
            return true
        }
        return false
    }

    /// Adds the half hours of days that have sums, and returns the times that are left to read.
    ///
    /// Records of these days that are still in the history buffer are added in the same read of the store, so that no
    /// record counts twice.
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
                // A half hour that belongs to two steps is read record by record; this happens where the days of a time
                // zone begin within a half hour.
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

    /// Adds all records of a period in several reads, and returns whether there were too many.
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
