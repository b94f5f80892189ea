import Domain
import Metrics
import Storage

/// Tells how much waits to be swept, by kind; what belongs to accounts is told by its own sweeper.
final class BacklogMeter: Sendable {
    private let environment: Environment
    /// Larger backlogs are told as this many rows.
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

    /// Counts everything but history, which is walked through device by device.
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

    /// Somebody may follow a link that is over, and is told so for a while.
    static let linkSeconds: Int64 = 604_800

    /// Devices that are known to have history beyond its time.
    func historyWaits(_ devices: Int) { gauges["history"]?.record(devices) }
}
