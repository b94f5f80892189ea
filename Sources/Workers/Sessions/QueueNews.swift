import Domain
import Storage
import Wire

/// Handles what the gate says of what the broker keeps for clients: statuses that a terminal was too slow for, and
/// sessions that must end.
enum QueueNews {
    /// The beginning of the workers' own client ids, whose sessions nobody ends.
    private static let own = "svc."

    /// Returns the filters for both messages.
    static func filters(_ environment: Environment) -> [String] {
        ["system/missed", "system/session-owed"].flatMap {
            environment.topics.filters($0, of: environment.divided)
        }
    }

    /// Has the newest statuses published again that a terminal missed; those of no subscribed binding are left out.
    ///
    /// The status worker does it, some hundred at a time.
    static func publishMissed(_ message: Inbound, in work: inout UnitOfWork) throws {
        do {
            let missed = try QueueNewsCodec.decode(missed: message.payload)
            try work.tx.refreshes.add(of: missed.uid, missed.dids)
            guard let dids = missed.dids else { return work.effects.wake(.status) }
            for did in dids { work.effects.wake(.status, of: did) }
        } catch let error as WireError {
            work.effects.deadLetter(message, unreadable: error)
        }
    }

    /// Has sessions ended that a client left at the broker.
    static func endOwed(_ message: Inbound, _ environment: Environment, in work: inout UnitOfWork) {
        do {
            let clients = try QueueNewsCodec.decode(sessionOwed: message.payload)
            environment.endOwed(clients.filter { !$0.utf8.starts(with: own.utf8) })
        } catch {
            work.effects.deadLetter(message, unreadable: error)
        }
    }
}
