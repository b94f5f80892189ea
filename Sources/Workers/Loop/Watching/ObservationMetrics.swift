import Domain
import Metrics
import Synchronization

/// The metrics of requests, commands and reports, shared by all workers of a process.
///
/// The labels are codes, outcomes and the names of existing methods; a client can't add a label.
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
    private let reports = Dictionary(
        uniqueKeysWithValues: ReportOutcome.allCases.map { outcome in
            let labels = [("outcome", outcome.rawValue)]
            return (outcome, Counter(label: "lamplighter_reports_total", dimensions: labels))
        }
    )
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
        if let count = observed.reports[.accepted] {
            stored.add(Int64(count), ordering: .relaxed)
        }
        for end in observed.revoked {
            revocation.recordMilliseconds(max(0, now.milliseconds - end.milliseconds))
        }
    }

    private func record(_ answer: AnsweredRequest) {
        counter(of: Answer(name: answer.name, code: answer.code)).increment()
        guard let took = answer.waited ?? answer.arrivedAt.map({ .now - $0 }) else { return }
        timer(of: answer.name).recordNanoseconds(Int64(took / .nanoseconds(1)))
    }

    private func counter(of answer: Answer) -> Counter {
        answers.withLock { counters in
            if let known = counters[answer] { return known }
            let counter = Counter(
                label: "lamplighter_requests_total",
                dimensions: answer.name.labels + [("code", answer.code)]
            )
            counters[answer] = counter
            return counter
        }
    }

    private func timer(of name: AnsweredRequest.Name) -> Timer {
        times.withLock { timers in
            if let known = timers[name] { return known }
            let timer = Timer(label: "lamplighter_request_seconds", dimensions: name.labels)
            timers[name] = timer
            return timer
        }
    }

    private func record(_ command: EndedCommand) {
        commands.withLock { timers in
            let key = Outcome(kind: command.kind, outcome: command.outcome)
            let labels = [("kind", key.kind.rawValue), ("outcome", key.outcome)]
            let timer = timers[key] ?? Timer(label: "lamplighter_command_seconds", dimensions: labels)
            timers[key] = timer
            timer.recordMilliseconds(command.milliseconds)
        }
    }
}
