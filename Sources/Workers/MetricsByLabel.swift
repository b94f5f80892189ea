import Metrics

extension Dictionary where Key: RawRepresentable<String> {
    /// Makes a counter for each key; the key is the value of the counter's label.
    init(counting metric: String, by label: String, _ keys: some Sequence<Key>) where Value == Counter {
        self.init(uniqueKeysWithValues: keys.map { ($0, Counter(label: metric, dimensions: [(label, $0.rawValue)])) })
    }
}
