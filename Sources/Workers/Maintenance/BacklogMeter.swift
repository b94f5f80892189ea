import Domain
import Metrics
import Storage

/// Records the rows that wait for the sweeper, by kind; the sweeper of accounts records its own.
final class BacklogMeter: Sendable {
    private let environment: Environment
    /// Larger backlogs are recorded as this many rows.
    private static let countMax = 100_000
    private let gauges: [String: Gauge]

    private static let kinds = [
        "ticket", "link", "inbox", "command", "scheduleRun", "deadLetter",
        "history",
    ]

    init(_ environment: Environment) {
        self.environment = environment
        gauges = Dictionary(
            uniqueKeysWithValues: Self.kinds.map { kind in
                (kind, Gauge(label: "lamplighter_sweep_backlog_rows", dimensions: [("kind", kind)]))
            }
        )
    }

    /// Counts all kinds but history, which is counted device by device.
    func measure() throws {
        let now = environment.clock.now
        let limits = environment.limits
        let rows: [(BacklogTable.Kind, Instant)] = [
            (.init("ticket", "expiresAt"), now),
            (.init("link", "expiresAt"), now.adding(seconds: -Self.linkSeconds)),
            (.init("inbox", "at"), now.adding(seconds: -limits.inboxSeconds)),
            (.init("command", "expiresAt", and: "state IN ('queued', 'sent')"), now),
            (.init("scheduleRun", "dueAt"), now.adding(seconds: -limits.scheduleRunSeconds)),
        ]
        try environment.store.read { tx in
            for (kind, moment) in rows {
                let count = try tx.backlogs.count(kind, before: moment, limit: Self.countMax)
                gauges[kind.table]?.record(count)
            }
            let letters = try tx.backlogs.deadLetters(keeping: limits.deadLettersMax)
            gauges["deadLetter"]?.record(letters)
        }
    }

    /// The time for which an expired link is kept, to tell visitors that it has expired.
    static let linkSeconds: Int64 = 604_800

    /// Records the number of devices known to have expired history.
    func historyWaits(_ devices: Int) { gauges["history"]?.record(devices) }
}
