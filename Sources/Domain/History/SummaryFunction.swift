import JSON

/// A function over an attribute's values within one step of time.
package enum SummaryFunction: String, Sendable, CaseIterable { case avg, min, max, sum, count, first, last }

/// The running summary of an attribute's values within one step of time.
struct ValueSummary: Sendable {
    private var count: Int64 = 0
    private var numbers: Int64 = 0
    private var integerSum: Int64? = 0
    private var sum = 0.0
    private var least: JSONValue?
    private var most: JSONValue?
    private var first: JSONValue?
    private var last: JSONValue?

    init() {}

    /// Adds the next value, in chronological order.
    mutating func add(_ value: JSONValue) {
        count += 1
        if first == nil { first = value }
        last = value
        guard let number = value.doubleValue else { return }
        numbers += 1
        sum += number
        addInteger(value.intValue)
        if number < least?.doubleValue ?? .infinity { least = value }
        if number > most?.doubleValue ?? -.infinity { most = value }
    }

    private mutating func addInteger(_ number: Int64?) {
        guard let number, let sum = integerSum else { return integerSum = nil }
        let (total, isTooLarge) = sum.addingReportingOverflow(number)
        integerSum = isTooLarge ? nil : total
    }

    /// Returns a function's result, or nil if the function has no result.
    ///
    /// `avg`, `min`, `max` and `sum` use only those values that are numbers.
    func value(_ function: SummaryFunction) -> JSONValue? {
        switch function {
        case .count: .integer(count)
        case .first: first
        case .last: last
        case .min: least
        case .max: most
        case .avg: numbers == 0 ? nil : Self.plain(sum / Double(numbers))
        case .sum:
            numbers == 0
                ? nil : integerSum.flatMap { $0.magnitude <= Self.integerMax ? .integer($0) : nil } ?? Self.plain(sum)
        }
    }

    private static let integerMax = UInt64(JSONValue.integerMax)

    private static func plain(_ number: Double) -> JSONValue? { number.isFinite ? .double(number) : nil }
}
