import JSON

/// The result of a benchmark: a heading, rows of figures, and goals.
///
/// If a figure was measured several times, its value is the median. A result can be shown as text and as JSON.
struct BenchResult: Sendable {
    /// A measured quantity, with a sample for each measurement.
    struct Figure: Sendable {
        /// The figure's path in the JSON object: member names, separated by dots.
        let key: String
        let unit: String
        var samples: [Double]

        /// Makes a figure with one sample.
        init(_ value: Double, _ unit: String, at key: String) { (self.key, self.unit, samples) = (key, unit, [value]) }

        var value: Double { samples.median }
    }

    private struct Row: Sendable {
        let label: String
        var figures: [Figure]

        var text: String {
            let columns = figures.map { figure in
                let number = figure.value.short
                let space = String(repeating: " ", count: max(0, 9 - number.count))
                return "\(space)\(number) \(figure.unit)"
            }
            return (columns + [label]).joined(separator: "  ")
        }
    }

    private let heading: String
    private let settings: JSONObject
    private let tell: @Sendable (String) -> Void
    private var rows: [Row] = []
    var goals: [BenchGoal] = []

    /// Creates a result without figures.
    ///
    /// The members of `settings` come first in the JSON. `tell` receives a line for each measurement.
    init(
        _ heading: String,
        _ settings: KeyValuePairs<String, Int> = [:],
        tell: @escaping @Sendable (String) -> Void = Benchmarks.tell
    ) {
        self.heading = heading
        self.settings = JSONObject(settings.map { ($0, .integer(Int64($1))) })
        self.tell = tell
    }

    /// Adds the figures of one measurement to the row with this label.
    mutating func add(_ label: String, _ figures: Figure...) {
        tell(Row(label: label, figures: figures).text)
        let place = rows.firstIndex { $0.label == label } ?? rows.count
        if place == rows.count { rows.append(Row(label: label, figures: [])) }
        for figure in figures {
            if let same = rows[place].figures.firstIndex(where: { $0.key == figure.key }) {
                rows[place].figures[same].samples += figure.samples
            } else {
                rows[place].figures.append(figure)
            }
        }
    }

    /// Adds the delays' median and 99th percentile, in ms, as the members `p50` and `p99` of `key`.
    mutating func add(_ label: String, delays: [Double], at key: String) {
        let (p50, p99) = (delays.quantile(0.5), delays.quantile(0.99))
        add(label, Figure(p50, "ms p50", at: key + ".p50"), Figure(p99, "ms p99", at: key + ".p99"))
    }

    /// Returns the samples of a figure, or an empty array if the figure wasn't measured.
    func samples(_ key: String) -> [Double] { rows.lazy.flatMap(\.figures).first { $0.key == key }?.samples ?? [] }

    /// The value of a figure, or 0 if the figure wasn't measured.
    subscript(key: String) -> Double { samples(key).median }

    /// Computes the ratio of two figures for each measurement, and returns the median of the ratios.
    func ratio(_ key: String, to base: String) -> Double { zip(samples(key), samples(base)).map { $0 / $1 }.median }

    /// Whether every goal is met.
    var isMet: Bool { goals.allSatisfy(\.isMet) }

    /// The result as a table.
    var text: String { ([heading] + rows.map(\.text) + ["goals"] + goals.map(\.text)).joined(separator: "\n") }

    /// The result as JSON.
    var json: JSONValue {
        var object = settings
        for figure in rows.flatMap(\.figures) {
            object.set(.double(figure.value), at: figure.key.split(separator: ".")[...])
        }
        object["goals"] = .array(goals.map(\.json))
        object["met"] = .bool(isMet)
        return .object(object)
    }
}

extension JSONObject {
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<Substring>) {
        guard let name = path.first.map(String.init) else { return }
        guard path.count > 1 else { return self[name] = value }
        var child = self[name]?.objectValue ?? [:]
        child.set(value, at: path.dropFirst())
        self[name] = .object(child)
    }
}
