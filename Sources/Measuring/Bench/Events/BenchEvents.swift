import Domain
import Load
import Storage

/// Measures the event log: `lamplighter-bench events`.
///
/// The benchmark measures how fast the service delivers waiting events to a webhook. For comparison, a bare loop posts
/// the same bodies to the same receiver. The benchmark also measures how fast an alert reaches many streams and a
/// webhook. A further measurement shows how much the processing of reports slows down if the service also logs each
/// status as an event. The measurements are made one after another.
extension BenchEvents {
    /// The number of alerts raised per second while streams are open.
    private static let alertsPerSecond = 20.0
    /// The number of streams that are opened from each source address, and the number opened with each API key.
    ///
    /// The service allows 16 streams per address and 4 streams per key.
    private static let (streamsPerAddress, streamsPerKey) = (10, 4)

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult("\(rounds) rounds of \(seconds) s, medians")
        try await BenchField(devices: max(devices, BenchField.alarmed), in: folder + "/field").use { field in
            try await EventReceiver(in: folder).use { receiver in
                if waiting > 0 { try field.logAlerts(waiting) }
                let crowd = self.crowd > 0 ? try BenchCrowd(field.store, users: self.crowd) : nil
                for round in 1...rounds {
                    tell("round \(round)")
                    if waiting > 0 { try await deliver(field, receiver, into: &result) }
                    if streams > 0 { try await follow(field, receiver, into: &result) }
                    if devices > 0 { try await report(field, &result) }
                    if let crowd { try await notify(crowd, of: "overheated\(round)", field, into: &result) }
                }
            }
        }
        return result
    }

    private func run<Value>(
        _ field: BenchField,
        _ receiver: EventReceiver,
        after cursor: EventCursor,
        body: () async throws -> Value
    ) async throws -> Value {
        let subscription = try field.subscribe("device.alert", url: receiver.url, after: cursor)
        let settings = ["outbound.privateTargets=127.0.0.1"]
        let value = try await BenchProcess.start(nil, field, settings: settings).use { _ in try await body() }
        try field.unsubscribe(subscription)
        return value
    }

    private func deliver(_ field: BenchField, _ receiver: EventReceiver, into result: inout BenchResult) async throws {
        let batch = EventSubscription.eventsMax
        let posts = try await run(field, receiver, after: .start) {
            try await receiver.arrivals.take { $0.count >= waiting / batch }
        }
        try BareCurl.post(posts.map(\.bytes), to: receiver.url)
        let bare = try await receiver.arrivals.take { $0.count == posts.count }
        for (title, posts, key) in [("to a webhook", posts, Self.webhook), ("by a bare loop", bare, Self.bare)] {
            let rate = posts.perSecond * Double(batch)
            result.add("\(waiting) waiting events \(title)", .init(rate, "events/s", at: key))
        }
    }

    private func follow(_ field: BenchField, _ receiver: EventReceiver, into result: inout BenchResult) async throws {
        let keys = try (0...streams / Self.streamsPerKey).map { _ in try field.addKey() }
        let arrivals = EventArrivals()
        try await run(field, receiver, after: field.endOfLog()) {
            let port = try field.httpPort()
            let open = try (0..<streams).map { number in
                let address = "127.0.0.\(2 + number / Self.streamsPerAddress)"
                let key = keys[number / Self.streamsPerKey]
                return try AlertStream(port: port, from: address, root: field.root, key: key, into: arrivals)
            }
            defer { for stream in open { stream.end() } }
            let sent = try field.raiseAlerts(seconds: seconds, rate: Self.alertsPerSecond)
            let streamed = try await arrivals.take { $0.delays(since: sent).count >= sent.count * streams }
            let posted = try await receiver.arrivals.take { $0.delays(since: sent).count >= sent.count }
            result.add("an alert to each of \(streams) streams", delays: streamed.delays(since: sent), at: Self.stream)
            result.add("an alert to a webhook beside them", delays: posted.delays(since: sent), at: Self.post)
        }
    }

    private func report(_ field: BenchField, _ result: inout BenchResult) async throws {
        for phase in [BenchPhase.unbound, .bound] {
            for isWanted in [false, true] {
                let subscription = isWanted ? try field.subscribe("device.status", after: field.endOfLog()) : nil
                let rate = try await BenchRig(phase, field).use { try $0.throughput(seconds: seconds) }
                if let subscription { try field.unsubscribe(subscription) }
                let title = phase.title + (isWanted ? ", device.status wanted" : "")
                result.add(title, .init(rate, "reports/s", at: Self.reports(phase, isWanted: isWanted)))
            }
        }
    }

    /// Measures how long it takes until all users of a crowd are notified of an alert.
    ///
    /// Other devices' reports are also measured, before and during the alert.
    private func notify(
        _ crowd: BenchCrowd,
        of alert: String,
        _ field: BenchField,
        into result: inout BenchResult
    ) async throws {
        try await BenchRig(.bound, field).use { rig in
            // The broker has forgotten the service's session, so the service first publishes all statuses again.
            while try field.store.read({ try $0.refreshes.isWaiting() }) {
                try await Task.sleep(for: .milliseconds(50))
            }
            let seconds = max(seconds, Self.crowdSeconds)
            let alone = try rig.latency(seconds: seconds, rate: Self.reportsBesideCrowd)
            let notified = Task.detached {
                try await Task.sleep(for: .seconds(2))
                return try await crowd.alert(alert)
            }
            let delays = try rig.latency(seconds: seconds, rate: Self.reportsBesideCrowd)
            result.add("an alert to \(self.crowd) users", .init(try await notified.value, "s", at: Self.crowdTime))
            result.add("reports of others before it", delays: alone, at: Self.before)
            result.add("reports of others meanwhile", delays: delays, at: Self.beside)
        }
    }

    /// The minimum number of seconds that the measurement with a crowd takes, and the number of reports per second.
    private static let (crowdSeconds, reportsBesideCrowd) = (8.0, 200.0)
    private static let (crowdTime, before, beside) = (
        "seconds.crowd", "milliseconds.beforeCrowd", "milliseconds.besideCrowd"
    )
    private static let (webhook, bare) = ("eventsPerSecond.webhook", "eventsPerSecond.bareLoop")
    private static let (stream, post) = ("milliseconds.stream", "milliseconds.webhook")
    private static func reports(_ phase: BenchPhase, isWanted: Bool) -> String {
        "reportsPerSecond.\(phase.rawValue)" + (isWanted ? ".wanted" : ".unwanted")
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        func share(_ name: String, _ key: String, of bound: String, atLeast limit: Double) -> BenchGoal {
            let figures = "\(name), \(result[key].short)/s / \(result[bound].short)/s"
            return BenchGoal(figures, result.ratio(key, to: bound), atLeast: limit)
        }
        let (wanted, unwanted) = (Self.reports(.bound, isWanted: true), Self.reports(.bound, isWanted: false))
        let (stream, post) = (Self.stream + ".p99", Self.post + ".p99")
        let goals = [
            (Self.webhook, share("events to a webhook / bare loop", Self.webhook, of: Self.bare, atLeast: 0.5)),
            (stream, BenchGoal("an alert to a stream, p99 in ms", result[stream], atMost: 300)),
            (post, BenchGoal("an alert to a webhook, p99 in ms", result[post], atMost: 200)),
            (Self.crowdTime, BenchGoal("an alert to a crowd, s", result[Self.crowdTime], atMost: 10)),
            (Self.beside + ".p99", BenchGoal("others beside it, p99 in ms", result[Self.beside + ".p99"], atMost: 100)),
            (wanted, share("D, device.status wanted / not", wanted, of: unwanted, atLeast: 0.85)),
        ]
        return goals.filter { key, _ in !result.samples(key).isEmpty }.map { $1 }
    }
}
