import Testing

@testable import Bench

@Suite("The goals of bench http and bench events")
struct BenchEventsTests {
    private func isMet(_ bench: some Benchmark, _ figures: [String: [Double]]) -> Bool {
        var result = BenchResult("") { _ in }
        for (key, values) in figures {
            for value in values { result.add(key, .init(value, "", at: key)) }
        }
        return bench.goals(result).allSatisfy(\.isMet)
    }

    private func http(_ rates: [Double] = [700, 800, 900], p50: Double = 3) -> Bool {
        isMet(
            BenchHTTP(),
            [
                "perSecond.http": rates, "perSecond.bound": [1000, 1000, 1000],
                "milliseconds.healthz.p50": [0.5], "milliseconds.mqtt.p50": [1.5], "milliseconds.http.p50": [p50],
            ]
        )
    }

    @Test("80 % of the bound, and a delay of a millisecond more than both parts, meet the goals of bench http")
    func overHTTP() {
        #expect(http())
        #expect(!http([700, 799, 900]))
        #expect(!http(p50: 3.01))
    }

    @Test(
        "Each goal of bench events has a limit, and an omitted part has no result",
        arguments: [
            ("eventsPerSecond.webhook", 500, 499), ("milliseconds.stream.p99", 300, 301),
            ("milliseconds.webhook.p99", 200, 201),
            ("seconds.crowd", 10, 10.1), ("milliseconds.besideCrowd.p99", 100, 101),
            ("reportsPerSecond.D.wanted", 850, 849),
        ]
    )
    func events(key: String, met: Double, missed: Double) {
        let bounds = ["eventsPerSecond.bareLoop": [1000.0], "reportsPerSecond.D.unwanted": [1000]]
        #expect(isMet(BenchEvents(), bounds))
        #expect(isMet(BenchEvents(), bounds.merging([key: [met]]) { $1 }))
        #expect(!isMet(BenchEvents(), bounds.merging([key: [missed]]) { $1 }))
    }

    @Test("The receiver stores the bodies that a bare loop posts, with the times of their alerts")
    func receiver() async throws {
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        try await EventReceiver(in: folder).use { receiver in
            let bodies = [#"[{"value":0},{"value":1}]"#, #"[{"value":"2"},{"value":2}]"#].map { Array($0.utf8) }
            try BareCurl.post(bodies, to: receiver.url)
            let arrivals = try await receiver.arrivals.take { $0.count == 2 }
            #expect(arrivals.map(\.bytes) == bodies)
            #expect(arrivals.perSecond > 0)
            let sent = [0, 1, 2].map { arrivals[0].at - $0 * 1_000_000 }
            #expect(arrivals.delays(since: sent).prefix(2) == [0, 1])
            #expect(arrivals.delays(since: sent).count == 3)
        }
    }
}
