package import JSON

/// The values of a data point within a period, summed up in any order for one step of a chart.
package struct ValueTotals: Sendable, Equatable {
    /// The number of values.
    package var count: Int64 = 0
    /// The number of values that are numbers.
    package var numbers: Int64 = 0
    /// The sum of the numbers.
    package var sum = 0.0
    /// The least number.
    package var least = Double.infinity
    /// The greatest number.
    package var most = -Double.infinity
    /// The last value.
    package var last = JSONValue.null
    /// The moment of the last value, in milliseconds since 1970.
    package var lastAt = Int64.min

    /// Makes totals without values.
    package init() {}

    /// Adds a value; of two at one moment, the one added later counts as the last.
    package mutating func add(_ value: JSONValue, at moment: Int64) {
        count += 1
        if moment >= lastAt { (last, lastAt) = (value, moment) }
        guard let number = value.doubleValue else { return }
        numbers += 1
        sum += number
        least = min(least, number)
        most = max(most, number)
    }

    /// Adds the values of another period.
    package mutating func add(_ other: ValueTotals) {
        count += other.count
        if other.lastAt >= lastAt { (last, lastAt) = (other.last, other.lastAt) }
        numbers += other.numbers
        sum += other.sum
        least = min(least, other.least)
        most = max(most, other.most)
    }
}
