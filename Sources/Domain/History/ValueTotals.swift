package import JSON

/// The totals of a data point's values in one chart step, added in any order.
package struct ValueTotals: Sendable, Equatable {
    /// The number of values.
    package var count: Int64 = 0
    /// The number of values that are numeric.
    package var numbers: Int64 = 0
    /// The sum of the numbers.
    package var sum = 0.0
    /// The smallest number.
    package var least = Double.infinity
    /// The largest number.
    package var most = -Double.infinity
    /// The last value.
    package var last = JSONValue.null
    /// The moment of the last value, in milliseconds since 1970.
    package var lastAt = Int64.min

    /// Makes totals without values.
    package init() {}

    /// Adds a value.
    ///
    /// If several values have the same moment, the value that was added last counts as the last value.
    package mutating func add(_ value: JSONValue, at moment: Int64) {
        count += 1
        if moment >= lastAt { (last, lastAt) = (value, moment) }
        guard let number = value.doubleValue else { return }
        numbers += 1
        sum += number
        least = min(least, number)
        most = max(most, number)
    }

    /// Adds the totals of another period to these totals.
    package mutating func add(_ other: ValueTotals) {
        count += other.count
        if other.lastAt >= lastAt { (last, lastAt) = (other.last, other.lastAt) }
        numbers += other.numbers
        sum += other.sum
        least = min(least, other.least)
        most = max(most, other.most)
    }
}
