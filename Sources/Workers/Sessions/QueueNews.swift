import Domain
import Metrics
import Storage
import Wire

/// The gate's reports about held messages: statuses that a slow terminal missed, and sessions that must end.
enum QueueNews {
    /// The prefix of the workers' client ids, whose sessions are never ended.
    private static let own = "svc."

    private static let missed = Counter(label: "lamplighter_statuses_missed_total")
    /// The maximum number of devices that the gate remembers for a terminal; beyond them, it reports only that more
    /// were missed.
    private static let missedMax = 200

    /// Returns the filters for both messages.
    static func filters(_ environment: Environment) -> [String] {
        ["system/missed", "system/session-owed"].flatMap { environment.topics.filters($0, of: environment.divided) }
    }

    /// Publishes again the newest statuses that a terminal missed, for subscribed bindings only.
    ///
    /// The status worker publishes them, a few hundred at a time.
    static func publishMissed(_ message: Inbound, in work: inout UnitOfWork) throws {
        let decode = QueueNewsCodec.decode(missed:)
        guard let missed = work.decode(message, with: decode) else { return }
        try work.tx.refreshes.add(of: missed.uid, missed.dids)
        Self.missed.increment(by: Int64(missed.dids?.count ?? missedMax))
        guard let dids = missed.dids else { return work.effects.wake(.status) }
        for did in dids { work.effects.wake(.status, of: did) }
    }

    /// Ends sessions that clients left at the broker.
    static func endOwed(_ message: Inbound, _ environment: Environment, in work: inout UnitOfWork) {
        let decode = QueueNewsCodec.decode(sessionOwed:)
        guard let clients = work.decode(message, with: decode) else { return }
        environment.endOwed(clients.filter { !$0.utf8.starts(with: own.utf8) })
    }
}
