import Domain
import Metrics
import Storage
import Wire

/// The handling of the gate's reports about messages that the broker queues for clients.
///
/// The reports name the statuses that a slow terminal has missed, or the MQTT sessions that must end.
enum QueueNews {
    /// The prefix of the workers' client ids, whose MQTT sessions are never ended here.
    private static let own = "svc."

    private static let missed = Counter(label: "lamplighter_statuses_missed_total")
    /// The maximum number of devices that the gate remembers for a terminal; if there are more, the gate doesn't name
    /// them.
    private static let missedMax = 200

    /// Returns the topic filters of both kinds of report.
    static func filters(_ environment: Environment) -> [String] {
        ["system/missed", "system/session-owed"].flatMap { environment.topics.filters($0, of: environment.divided) }
    }

    /// Requests a new publication of the statuses that a slow terminal has missed.
    ///
    /// The status worker publishes the statuses, a few hundred at a time, and only for subscribed bindings.
    static func publishMissed(_ message: Inbound, in work: inout UnitOfWork) throws {
        let decode = QueueNewsCodec.decode(missed:)
        guard let missed = work.decode(message, with: decode) else { return }
        try work.tx.refreshes.add(of: missed.uid, missed.dids)
        Self.missed.increment(by: Int64(missed.dids?.count ?? missedMax))
        guard let dids = missed.dids else { return work.effects.wake(.status) }
        for did in dids { work.effects.wake(.status, of: did) }
    }

    /// Ends the MQTT sessions that clients left at the broker.
    static func endOwed(_ message: Inbound, _ environment: Environment, in work: inout UnitOfWork) {
        let decode = QueueNewsCodec.decode(sessionOwed:)
        guard let clients = work.decode(message, with: decode) else { return }
        environment.endOwed(clients.filter { !$0.utf8.starts(with: own.utf8) })
    }
}
