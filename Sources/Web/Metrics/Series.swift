import CoreMetrics
import Synchronization

/// The value of a metric for one set of labels.
///
/// On the page, a counter or a gauge takes one line, and a histogram takes several lines.
protocol Series: AnyObject, Sendable {
    /// Appends the sample lines of this series.
    func render(_ name: String, labels: String, into page: inout String)
    /// The current value; for a distribution, the sum of the recorded values and their number.
    var reading: (value: Double, count: Int64) { get }
}

/// A count that only grows.
final class CounterSeries: Series, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() { value.store(0, ordering: .relaxed) }

    var reading: (value: Double, count: Int64) { (Double(value.load(ordering: .relaxed)), 1) }

    func render(_ name: String, labels: String, into page: inout String) {
        page += name + LabelText.braced(labels) + " \(value.load(ordering: .relaxed))\n"
    }
}

/// A value that goes up and down.
final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func increment(by amount: Double) {
        var seen = bits.load(ordering: .relaxed)
        while true {
            let next = (Double(bitPattern: seen) + amount).bitPattern
            let (done, now) = bits.weakCompareExchange(expected: seen, desired: next, ordering: .relaxed)
            if done { return }
            seen = now
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    var reading: (value: Double, count: Int64) { (Double(bitPattern: bits.load(ordering: .relaxed)), 1) }

    func render(_ name: String, labels: String, into page: inout String) {
        page += name + LabelText.braced(labels) + " \(MetricName.number(reading.value))\n"
    }
}

/// A distribution over fixed buckets.
///
/// A lock guards the state. The count, the sum and the buckets on a page are therefore consistent. Usually only one
/// worker records values of a series. The lock is therefore free except during a scrape.
final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    private struct State {
        var counts: [Int64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        guard value.isFinite else { return }
        let slot = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[slot] += 1
            $0.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    var reading: (value: Double, count: Int64) { state.withLock { ($0.sum, $0.counts.reduce(0, +)) } }

    func render(_ name: String, labels: String, into page: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: Int64 = 0
        for (slot, count) in counts.enumerated() {
            total += count
            let bound = slot < bounds.count ? MetricName.number(bounds[slot]) : "+Inf"
            let all = (labels.isEmpty ? "" : labels + ",") + "le=\"\(bound)\""
            page += "\(name)_bucket{\(all)} \(total)\n"
        }
        page += name + "_sum" + LabelText.braced(labels) + " \(MetricName.number(sum))\n"
        page += name + "_count" + LabelText.braced(labels) + " \(total)\n"
    }
}

/// The text of labels in a sample line.
enum LabelText {
    /// Returns the escaped pairs of labels and values, in the given order.
    static func pairs(_ dimensions: [(String, String)]) -> String {
        dimensions
            .map { "\(MetricName.label($0.0))=\"\(MetricName.escapedValue($0.1))\"" }
            .joined(separator: ",")
    }

    /// Returns pairs in braces, or an empty string if there are no pairs.
    static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
}
