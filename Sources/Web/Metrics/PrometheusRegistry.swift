package import CoreMetrics
import Synchronization

/// A backend of swift-metrics that serves all recorded metrics in version 0.0.4 of Prometheus' text format.
///
/// To record a value, a series uses one atomic variable or its own lock. Recording doesn't take the registry's lock,
/// which is needed only to make, remove or read metrics.
package final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let entry: MetricCatalog.Entry
        var series: [String: any Series] = [:]
    }

    private let families: Mutex<[String: Family]>
    private let samplers = Mutex<[@Sendable () -> Void]>([])

    /// Creates a registry that contains the metrics of the catalog.
    package init() {
        let known = MetricCatalog.entries.map { ($0.name, Family(entry: $0)) }
        families = Mutex(Dictionary(known, uniquingKeysWith: { first, _ in first }))
    }

    /// Adds a closure that sets gauges before each scrape.
    package func addSampler(_ sampler: @escaping @Sendable () -> Void) { samplers.withLock { $0.append(sampler) } }

    /// Makes a counter whose value is set by a sampler and can be a fraction.
    package func sampledCounter(_ label: String) -> any MeterHandler {
        series(label, [], kind: .counter) { _ in GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    /// Returns the page with all metrics, sorted by name and labels.
    package func render() -> String {
        for sampler in samplers.withLock({ $0 }) { sampler() }
        let snapshot = families.withLock { Array($0.values) }
        var page = ""
        for family in snapshot.sorted(by: { $0.entry.name < $1.entry.name }) {
            let name = family.entry.name
            page += "# HELP \(name) \(MetricName.escapedHelp(family.entry.help))\n"
            page += "# TYPE \(name) \(family.entry.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.render(name, labels: labels, into: &page)
            }
        }
        return page
    }

    /// Returns the series of a metric with their labels, such as `worker="status"`.
    ///
    /// For a distribution, `value` is the sum of the recorded values and `count` is their number. Sampled gauges have
    /// the values of the last scrape.
    package func readings(_ name: String) -> [(labels: String, value: Double, count: Int64)] {
        let series = families.withLock { $0[name]?.series } ?? [:]
        return series.sorted { $0.key < $1.key }.map { labels, one in
            let reading = one.reading
            return (labels, reading.value, reading.count)
        }
    }

    /// Finds or makes a series, or returns nil if a metric of this name already exists with a different kind.
    private func series<S: Series>(
        _ label: String,
        _ dimensions: [(String, String)],
        kind: MetricCatalog.Kind,
        isTimer: Bool = false,
        make: (MetricCatalog.Entry) -> S
    ) -> S? {
        let name = MetricName.name(label)
        return families.withLock { families in
            var family =
                families[name]
                ?? Family(entry: MetricCatalog.entry(name, kind, isTimer: isTimer))
            var labels = LabelText.pairs(dimensions)
            if family.series[labels] == nil, family.series.count >= family.entry.seriesMax {
                labels = LabelText.pairs(dimensions.map { ($0.0, "other") })
            }
            if let found = family.series[labels] { return found as? S }
            guard family.entry.kind == kind else { return nil }
            let made = make(family.entry)
            family.series[labels] = made
            families[name] = family
            return made
        }
    }
}

extension PrometheusRegistry {
    package func makeCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any CounterHandler {
        series(label, dimensions, kind: .counter) { _ in CounterSeries() }
            ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, kind: .gauge) { _ in GaugeSeries() } ?? NOOPMetricsHandler.instance
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else {
            return series(label, dimensions, kind: .gauge) { _ in GaugeSeries() } ?? NOOPMetricsHandler.instance
        }
        return series(label, dimensions, kind: .histogram) { HistogramSeries(bounds: $0.buckets) }
            ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, kind: .histogram, isTimer: true) { HistogramSeries(bounds: $0.buckets) }
            ?? NOOPMetricsHandler.instance
    }

    /// Keeps the series, because a counter that begins at zero again would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) { drop(handler as? GaugeSeries) }
    package func destroyRecorder(_ handler: any RecorderHandler) { drop(handler as? GaugeSeries) }
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Removes a destroyed gauge, so that the page no longer shows the gauge's last value.
    private func drop(_ gauge: GaugeSeries?) {
        guard let gauge else { return }
        families.withLock { families in
            for (name, family) in families where family.entry.kind == .gauge {
                guard let labels = family.series.first(where: { $0.value === gauge })?.key else { continue }
                families[name]?.series[labels] = nil
                return
            }
        }
    }
}
