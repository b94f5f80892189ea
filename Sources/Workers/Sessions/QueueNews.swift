import Domain
import Metrics
import Storage
import Wire

/// The handling of the gate's reports that a terminal missed statuses or that MQTT sessions must end.
enum QueueNews {
    /// The prefix of the workers' client ids, by which `endOwed` spares their sessions.
    private static let own = "svc."

    private static let missed = Counter(label: "lamplighter_statuses_missed_total")
    /// The maximum number of named devices, beyond which a report names no device.
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

    /// Passes MQTT sessions that clients have left behind to the threads that end them.
    static func endOwed(_ message: Inbound, _ environment: Environment, in work: inout UnitOfWork) {
        let decode = QueueNewsCodec.decode(sessionOwed:)
        guard let clients = work.decode(message, with: decode) else { return }
        environment.endOwed(clients.filter { !$0.utf8.starts(with: own.utf8) })
    }
}
