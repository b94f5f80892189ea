import Metrics

extension Dictionary where Key: RawRepresentable<String> {
    /// Makes a counter for each key, which is the value of the label.
    init(counting metric: String, by label: String, _ keys: some Sequence<Key>) where Value == Counter {
        self.init(uniqueKeysWithValues: keys.map { ($0, Counter(label: metric, dimensions: [(label, $0.rawValue)])) })
    }
}
