import CoreMetrics
import Testing

@testable import Web

@Suite struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    private func page() throws -> PrometheusPage { try PrometheusPage(registry.render()) }

    @Test("Each metric has a description before it has a value")
    func catalog() throws {
        let page = try page()
        let described = WebTexts.text("metrics.txt").split(separator: "\n")
            .filter { !$0.hasPrefix("#") && !$0.hasPrefix(" ") }

        #expect(MetricCatalog.entries.map(\.name) == described.map { $0.prefix { $0 != " " } }.map(String.init))
        for entry in MetricCatalog.entries {
            #expect(
                entry.kind == .histogram
                    ? entry.buckets == entry.buckets.sorted() && !entry.buckets.isEmpty : entry.buckets.isEmpty
            )
            #expect(page.types[entry.name] == entry.kind.rawValue)
            #expect(page.helps[entry.name]?.isEmpty == false)
        }
    }

    @Test("A counter adds up all increments under one name and labels")
    func counter() throws {
        let labels = [("worker", "status")]
        Counter(label: "a_total", dimensions: labels, factory: registry).increment(by: 2)
        Counter(label: "a_total", dimensions: labels, factory: registry).increment()

        #expect(try page().value("a_total", ["worker": "status"]) == 3)
    }

    @Test("A gauge shows the last value, and goes up and down")
    func gauge() throws {
        let gauge = Meter(label: "depth", factory: registry)
        gauge.set(7)
        gauge.increment(by: 1.5)
        gauge.decrement(by: 3)

        #expect(try page().value("depth") == 5.5)
        #expect(try page().types["depth"] == "gauge")
    }

    @Test(
        "A destroyed gauge alone leaves the page, and starts again when it is created again"
    )
    func destroyed() throws {
        let gauges = ["a", "b"].map { product in
            Gauge(label: "devices", dimensions: [("product", product)], factory: registry)
        }
        for gauge in gauges { gauge.record(5) }

        gauges[0].destroy()

        #expect(try page().value("devices", ["product": "a"]) == nil)
        #expect(try page().value("devices", ["product": "b"]) == 5)
        let again = Gauge(label: "devices", dimensions: [("product", "a")], factory: registry)
        again.record(2)
        #expect(try page().value("devices", ["product": "a"]) == 2)
    }

    @Test("A histogram's buckets are cumulative and end with the count")
    func histogram() throws {
        let recorder = Recorder(label: "lamplighter_batch_size", factory: registry)
        for value in [1, 3, 3, 400, 100_000] { recorder.record(value) }

        let page = try page()
        let buckets = page.samples.filter { $0.name == "lamplighter_batch_size_bucket" }
        #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
        #expect(page.value("lamplighter_batch_size_bucket", ["le": "1"]) == 1)
        #expect(page.value("lamplighter_batch_size_bucket", ["le": "5"]) == 3)
        #expect(page.value("lamplighter_batch_size_bucket", ["le": "500"]) == 4)
        #expect(page.value("lamplighter_batch_size_bucket", ["le": "+Inf"]) == 5)
        #expect(page.value("lamplighter_batch_size_count") == 5)
        #expect(page.value("lamplighter_batch_size_sum") == 100_407)
    }

    @Test("A timer is exported in seconds")
    func timer() throws {
        let timer = Timer(label: "lamplighter_commit_seconds", factory: registry)
        timer.recordNanoseconds(2_000_000 as Int64)

        #expect(try page().value("lamplighter_commit_seconds_sum") == 0.002)
        #expect(try page().value("lamplighter_commit_seconds_bucket", ["le": "0.0025"]) == 1)
    }

    @Test("Odd names and label values are escaped as the format requires")
    func escaping() throws {
        let value = "a\"b\\c\nd"
        Counter(label: "9 odd.name", dimensions: [("my-label", value)], factory: registry).increment()

        #expect(try page().value("_9_odd_name", ["my_label": value]) == 1)
    }

    @Test("A name that has a type isn't given a second one")
    func kinds() throws {
        Counter(label: "twice", factory: registry).increment()
        Meter(label: "twice", factory: registry).set(9)

        #expect(try page().types["twice"] == "counter")
        #expect(try page().value("twice") == 1)
    }

    @Test("Labels from outside can't fill the memory: values beyond the limit share one series")

    func cardinality() throws {
        for index in 0..<(MetricCatalog.seriesMax + 50) {
            Counter(label: "many", dimensions: [("id", "\(index)")], factory: registry).increment()
        }

        let series = try page().samples.filter { $0.name == "many" }
        #expect(series.count == MetricCatalog.seriesMax + 1)
        #expect(try page().value("many", ["id": "other"]) == 50)
    }

    @Test("Nothing is lost when many threads count at the same time")
    func threads() async throws {
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [registry] in
                    let counter = Counter(label: "hits", factory: registry)
                    let recorder = Recorder(label: "sizes", factory: registry)
                    for _ in 0..<1000 {
                        counter.increment()
                        recorder.record(1)
                    }
                }
            }
        }

        #expect(try page().value("hits") == 8000)
        #expect(try page().value("sizes_count") == 8000)
    }

    @Test("Samplers are called at each scrape")
    func samplers() throws {
        ProcessSampler.install(in: registry)

        let page = try page()
        #expect(try #require(page.value("process_resident_memory_bytes")) > 1_000_000)
        #expect(try #require(page.value("process_start_time_seconds")) > 1_700_000_000)
        #expect(try #require(page.value("process_open_fds")) >= 3)
        #expect(try #require(page.value("process_cpu_seconds_total")) > 0)
        #expect(page.types["process_cpu_seconds_total"] == "counter")
    }
}
