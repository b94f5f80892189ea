package import Domain
import JSON

/// The UTC days of a device's history, numbered from 1970, and their half hours.
package enum HistoryDay {
    /// The length of a day, in milliseconds.
    package static let length: Int64 = 86_400_000
    /// Half an hour in milliseconds, which divides almost every time zone's offset from UTC.
    package static let half: Int64 = 1_800_000
    /// How many records a day must have for its sums to be worth storing.
    package static let recordsMin: Int64 = 512

    /// Returns the day's number for a moment in milliseconds since 1970.
    package static func number(of moment: Int64) -> Int64 { moment >= 0 ? moment / length : (moment + 1) / length - 1 }

    /// Returns the beginning and end of a day, in milliseconds since 1970.
    package static func time(of day: Int64) -> Range<Int64> { day * length..<(day + 1) * length }
}

/// The sums of one data point in one day, for each half hour.
package struct HistoryDaySums: Sendable {
    /// The number of the day.
    package var day: Int64
    /// The sums of each half hour that has values, in ascending order of `place`.
    package var halves: [(place: Int64, totals: ValueTotals)] = []

    /// Adds a value.
    mutating func add(_ value: JSONValue, at moment: Int64) {
        let place = (moment - day * HistoryDay.length) / HistoryDay.half
        let index = halves.lastIndex { $0.place <= place }
        if let index, halves[index].place == place {
            halves[index].totals.add(value, at: moment)
            return
        }
        var totals = ValueTotals()
        totals.add(value, at: moment)
        halves.insert((place, totals), at: index.map { $0 + 1 } ?? 0)
    }

    /// The sums as JSON text.
    var text: String {
        let rows = halves.map { place, totals in
            let bounds: [JSONValue] =
                totals.numbers == 0 ? [] : [.double(totals.sum), .double(totals.least), .double(totals.most)]
            return JSONValue.array(
                [
                    .integer(place), .integer(totals.count), totals.last,
                    .integer(totals.lastAt), .integer(totals.numbers),
                ] + bounds
            )
        }
        return String(decoding: JSONValue.array(rows).encoded(), as: UTF8.self)
    }

    init(day: Int64) { self.day = day }

    /// Decodes stored sums; returns nil if the text is not valid.
    init?(day: Int64, text: String) {
        guard let rows = try? JSONValue.parse(Array(text.utf8)).arrayValue else { return nil }
        self.day = day
        for row in rows {
            guard let parts = row.arrayValue, parts.count >= 5, let place = parts[0].intValue,
                let count = parts[1].intValue, let lastAt = parts[3].intValue, let numbers = parts[4].intValue
            else { return nil }
            var totals = ValueTotals()
            (totals.count, totals.numbers) = (count, numbers)
            (totals.last, totals.lastAt) = (parts[2], lastAt)
            if numbers > 0, parts.count == 8, let sum = parts[5].doubleValue, let least = parts[6].doubleValue,
                let most = parts[7].doubleValue
            {
                (totals.sum, totals.least, totals.most) = (sum, least, most)
            }
            halves.append((place, totals))
        }
    }
}
