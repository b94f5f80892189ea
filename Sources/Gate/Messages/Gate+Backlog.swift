import Credentials
import JSON
import Metering

// While the status worker is behind, reports are refused fairly: the broker's one queue for it, or for one of its
// lanes, is first in, first out, so all devices would wait for the messages of a few (`Backlogs`). A refused report is
// not stored, just as one that gets no answer: the device sends it again.
extension Gate {
    /// The client id of the connection over which the worker receives its messages, or the beginning of its lanes'.
    static let statusWorker = "svc.lamplighter.status"
    private static let report = Array("/report".utf8)

    /// Counts a device's report that is about to be let through; true if it is beyond the device's share.
    ///
    /// Never closes a connection: the device does not cause the messages of others.
    func isShed(_ client: Client, _ access: Access, to topic: Bytes) -> Bool {
        guard case .publish = access, client.isConnected, let tally = client.tally,
            let did = client.did, topic.suffix(Self.report.count).elementsEqual(Self.report)
        else { return false }
        let verdict = backlogs.take(&tally.reports, of: did, at: Clock.coarse())
        guard case .beyond(let mustTell) = verdict else { return false }
        if mustTell { tell(client, access, to: topic, because: .overloaded) }
        return true
    }

    /// Returns the receiving connection of the worker, or of the lane, whose echo a topic is for; nil for all other
    /// topics.
    func receiver(ofEchoOn topic: Bytes) -> Client? {
        guard topic.count >= echoes.count, topic.starts(with: echoes) else { return nil }
        let lane = String(decoding: topic.dropFirst(echoes.count), as: UTF8.self)
        return connected[Self.statusWorker + lane]
    }

    /// Notes an echo that the worker, or one of its lanes, sends itself.
    func noteEcho(_ client: Client, _ payload: Bytes, on topic: Bytes) {
        guard let receiver = receiver(ofEchoOn: topic),
            let lane = statusLane(of: receiver.clientId),
            client.clientId.utf8.starts(with: receiver.clientId.utf8),
            let echo = try? JSONValue.parse(payload).objectValue,
            let number = echo["number"]?.intValue, let seen = echo["seen"]?.intValue,
            let lanes = Int(exactly: echo["lanes"]?.intValue ?? 1)
        else { return }
        backlogs.note(echo: number, seen: seen, by: lane, of: lanes)
    }

    /// Notes the end of a connection: what the status worker has not processed is not known while it is away.
    func noteEnd(of client: Client) {
        if client.rights.isWorker, let lane = statusLane(of: client.clientId) { backlogs.end(lane) }
    }

    /// Returns the number of the lane to which a client id belongs, 0 for the whole worker's; nil for all others.
    private func statusLane(of clientId: String) -> Int? {
        guard clientId.utf8.starts(with: Self.statusWorker.utf8) else { return nil }
        let lane = clientId.dropFirst(Self.statusWorker.count)
        if lane.isEmpty { return 0 }
        return lane.first == "." ? Int(lane.dropFirst()) : nil
    }
}
