import Credentials
import JSON
import Metering

// While the status worker is behind, reports are refused fairly: the broker's one queue for it is first in, first
// out, so all devices would wait for the messages of a few (`Backlog`). A refused report is not stored, just as one
// that gets no answer: the device sends it again.
extension Gate {
    /// The client id of the connection over which the worker receives its messages.
    static let statusWorker = "svc.lamplighter.status"
    private static let report = Array("/report".utf8)

    /// Counts a device's report that is about to be let through; true if it is beyond the device's share.
    ///
    /// Never closes a connection: the device does not cause the messages of others.
    func isShed(_ client: Client, _ access: Access, to topic: Bytes) -> Bool {
        guard case .publish = access, client.isConnected, let tally = client.tally,
            client.did != nil, topic.suffix(Self.report.count).elementsEqual(Self.report)
        else { return false }
        let verdict = backlog.take(&tally.reports, at: Clock.coarse())
        guard case .beyond(let mustTell) = verdict else { return false }
        if mustTell { tell(client, access, to: topic, because: .overloaded) }
        return true
    }

    /// Notes an echo that the worker sends itself.
    func noteEcho(_ client: Client, _ payload: Bytes, on topic: Bytes) {
        guard topic.count == echoes.count, topic.elementsEqual(echoes),
            client.clientId.utf8.starts(with: Self.statusWorker.utf8),
            connected[Self.statusWorker] != nil,
            let echo = try? JSONValue.parse(payload).objectValue,
            let number = echo["number"]?.intValue, let seen = echo["seen"]?.intValue
        else { return }
        backlog.note(echo: number, seen: seen)
    }
}
