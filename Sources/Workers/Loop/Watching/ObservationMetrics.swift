import Domain
import Metrics
import Synchronization

/// The metrics of requests, commands and reports.
///
/// A client can't cause new label values: if a request names an unknown service or method, the label is `other`.
package final class ObservationMetrics: Sendable {
    private struct Answer: Hashable {
        var name: AnsweredRequest.Name
        var code: String
    }

    private struct Outcome: Hashable {
        var kind: Command.Kind
        var outcome: String
    }

    private let answers = Mutex<[Answer: Counter]>([:])
    private let times = Mutex<[AnsweredRequest.Name: Timer]>([:])
    private let commands = Mutex<[Outcome: Timer]>([:])
    private let reports = Dictionary(counting: "lamplighter_reports_total", by: "outcome", ReportOutcome.allCases)
    private let stored = Atomic<Int64>(0)
    private let revocation = Timer(label: "lamplighter_revocation_seconds")

    /// Makes the metrics of a process.
    package init() {}

    /// The number of reports that this process has stored since its start.
    package var storedReports: Int64 { stored.load(ordering: .relaxed) }

    /// Records the observations of a committed transaction.
    func record(_ observed: Observations, at now: Instant) {
        for answer in observed.answers { record(answer) }
        for command in observed.commands { record(command) }
        for (outcome, count) in observed.reports { reports[outcome]?.increment(by: count) }
        if let count = observed.reports[.accepted] { stored.add(Int64(count), ordering: .relaxed) }
        for end in observed.revoked { revocation.recordMilliseconds(max(0, now.milliseconds - end.milliseconds)) }
    }

    private func record(_ answer: AnsweredRequest) {
        let (name, code) = (answer.name, answer.code)
        Self.metric(Answer(name: name, code: code), among: answers) {
            Counter(label: "lamplighter_requests_total", dimensions: name.labels + [("code", code)])
        }
        .increment()
        guard let took = answer.waited ?? answer.arrivedAt.map({ .now - $0 }) else { return }
        Self.metric(name, among: times) { Timer(label: "lamplighter_request_seconds", dimensions: name.labels) }
            .recordNanoseconds(Int64(took / .nanoseconds(1)))
    }

    private func record(_ command: EndedCommand) {
        let (kind, outcome) = (command.kind, command.outcome)
        Self.metric(Outcome(kind: kind, outcome: outcome), among: commands) {
            let labels = [("kind", kind.rawValue), ("outcome", outcome)]
            return Timer(label: "lamplighter_command_seconds", dimensions: labels)
        }
        .recordMilliseconds(command.milliseconds)
    }

    /// Returns a key's metric, which is made when it is first used.
    private static func metric<Key: Hashable & Sendable, Metric: Sendable>(
        _ key: Key,
        among metrics: borrowing Mutex<[Key: Metric]>,
        _ make: () -> Metric
    ) -> Metric {
        metrics.withLock { metrics in
            if let known = metrics[key] { return known }
            let metric = make()
            metrics[key] = metric
            return metric
        }
    }
}
