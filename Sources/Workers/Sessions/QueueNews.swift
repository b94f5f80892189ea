import Domain
import Metrics
import Storage
import Wire

/// The handling of the gate's reports that a terminal missed statuses or that MQTT sessions must end.
enum QueueNews {
    /// The prefix of the services' client ids.
    ///
    /// `endOwed` never ends the session of a client whose id has this prefix.
    private static let own = "svc."

    private static let missed = Counter(label: "lamplighter_statuses_missed_total")
    /// The maximum number of devices that a report about missed statuses can name.
    ///
    /// If a terminal missed the statuses of more devices, the report means all the user's devices.
    private static let missedMax = 200

    /// Returns the topic filters of both kinds of report.
    static func filters(_ environment: Environment) -> [String] {
        ["system/missed", "system/session-owed"].flatMap { environment.topics.filters($0, of: environment.divided) }
    }

    /// Asks the status worker to repeat the statuses that a slow terminal missed.
    static func publishMissed(_ message: Inbound, in work: inout UnitOfWork) throws {
        let decode = QueueNewsCodec.decode(missed:)
        guard let missed = work.decode(message, with: decode) else { return }
        try work.tx.refreshes.add(of: missed.uid, missed.dids)
        Self.missed.increment(by: Int64(missed.dids?.count ?? missedMax))
        guard let dids = missed.dids else { return work.effects.wake(.status) }
        for did in dids { work.effects.wake(.status, of: did) }
    }

    /// Queues the clients whose abandoned MQTT sessions must end; separate threads end these sessions.
    static func endOwed(_ message: Inbound, _ environment: Environment, in work: inout UnitOfWork) {
        let decode = QueueNewsCodec.decode(sessionOwed:)
        guard let clients = work.decode(message, with: decode) else { return }
        environment.endOwed(clients.filter { !$0.utf8.starts(with: own.utf8) })
    }
}
