/// The catalog of Lamplighter's own metrics, which `Texts/metrics.txt` lists with their meaning, kind and buckets.
///
/// Metrics of libraries are served too, but have no entries here. Their help text says only that a library provides
/// them.
package enum MetricCatalog {
    /// The type of a metric in Prometheus.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A metric's name and meaning.
    package struct Entry: Sendable {
        /// The metric's name on the `/metrics` page, including units and `_total`.
        package let name: String
        /// The type in Prometheus.
        package let kind: Kind
        /// The text of the HELP line.
        package let help: String
        /// The ascending upper bounds of a histogram's buckets, or empty for other kinds.
        package var buckets: [Double] = []
        /// The maximum number of separate series of this metric.
        ///
        /// Because of this limit, a label whose values come from clients can't exhaust the memory.
        var seriesMax = MetricCatalog.seriesMax
    }

    /// The default for the maximum number of separate series of one metric.
    static let seriesMax = 500
    /// The default buckets of a timer, in seconds.
    private static let secondsBuckets = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// The default buckets of a recorder of amounts.
    private static let amountBuckets: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10000]

    /// All of Lamplighter's own metrics, in the order of `Texts/metrics.txt`.
    package static let entries: [Entry] = {
        let lines = WebTexts.text("metrics.txt").split(separator: "\n").filter { $0.first != "#" }
        return stride(from: 0, to: lines.count - 1, by: 2).compactMap { entry(lines[$0], help: lines[$0 + 1]) }
    }()

    private static func entry(_ line: Substring, help: Substring) -> Entry? {
        let words = line.split(separator: " ")
        guard words.count > 1, let kind = Kind(rawValue: String(words[1])) else { return nil }
        let help = help.drop { $0 == " " }
        var entry = Entry(name: String(words[0]), kind: kind, help: String(help))
        for option in words.dropFirst(2) {
            let parts = option.split(separator: "=")
            switch parts.first {
            case "buckets" where parts.last == "seconds": entry.buckets = secondsBuckets
            case "buckets": entry.buckets = parts[1].split(separator: ",").compactMap { Double($0) }
            case "series": entry.seriesMax = Int(parts[1]) ?? seriesMax
            default: return nil
            }
        }
        return entry
    }

    private static let byName = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Returns a metric's entry from the catalog, or makes an entry if the catalog doesn't contain the metric.
    static func entry(_ name: String, _ kind: Kind, isTimer: Bool) -> Entry {
        if let known = byName[name] { return known }
        return Entry(
            name: name,
            kind: kind,
            help: "Provided by a library; not described here.",
            buckets: kind == .histogram ? (isTimer ? secondsBuckets : amountBuckets) : []
        )
    }
}
