import Credentials
import JSON
import Metering

// While the status worker is behind, the gate refuses some reports. Each device gets a fair share (`Backlogs`). The
// broker's queue is first in, first out. Without the shares, a few devices with many reports could make all other
// devices wait. A refused report isn't stored. The device sends it again, like any report without an answer. Requests
// of terminals are refused in the same way, but only if the gate can read workers' queues in the broker's memory.
extension Gate {
    /// The client id of the status worker's receiving connection, and the prefix of its lanes' ids.
    static let statusWorker = "svc.lamplighter.status"
    private static let report = Array("/report".utf8)

    /// Counts a report or request, and returns whether it exceeds its sender's share.
    ///
    /// The sender stays connected, because it isn't responsible for the messages of others.
    func isShed(_ client: Client, _ access: Access, to topic: Bytes) -> Bool {
        guard case .publish(let payload, _) = access, client.isConnected, let tally = client.tally,
            case .beyond(let mustTell) = backlogVerdict(client, tally, bytes: payload.count, to: topic)
        else { return false }
        if mustTell { tell(client, access, to: topic, because: .overloaded) }
        return true
    }

    private func backlogVerdict(_ client: Client, _ tally: Tally, bytes: Int, to topic: Bytes) -> ShareVerdict {
        let now = Clock.coarse()
        if let did = client.did {
            guard topic.suffix(Self.report.count).elementsEqual(Self.report) else { return .within }
            return backlogs.take(&tally.reports, of: did, at: now)
        }
        guard client.isTerminal, let worker = subscribers.worker(of: topic),
            let waiting = worker.pointer.flatMap(PrivateStructure.holding)
        else { return .within }
        var requests = worker.requests ?? RequestBacklog(limit: settings.limits.requestBacklog)
        defer { worker.requests = requests }
        return requests.take(
            &tally.requests[worker.clientId, default: Backlog.Sender()],
            bytes: bytes,
            waiting: (waiting.messages, waiting.bytes),
            at: now
        )
    }

    /// Returns the connection that receives the echoes on a topic, or nil if the topic isn't for echoes.
    func receiver(ofEchoOn topic: Bytes) -> Client? {
        guard topic.count >= echoes.count, topic.starts(with: echoes) else { return nil }
        let lane = String(decoding: topic.dropFirst(echoes.count), as: UTF8.self)
        return connected[Self.statusWorker + lane]
    }

    /// Records an echo that the status worker or one of its lanes sends to itself.
    func noteEcho(_ client: Client, _ payload: Bytes, on topic: Bytes) {
        guard let receiver = receiver(ofEchoOn: topic), let lane = statusLane(of: receiver.clientId),
            client.clientId.utf8.starts(with: receiver.clientId.utf8),
            let echo = try? JSONValue.parse(payload).objectValue, let number = echo["number"]?.intValue,
            let seen = echo["seen"]?.intValue, let lanes = Int(exactly: echo["lanes"]?.intValue ?? 1)
        else { return }
        backlogs.note(echo: number, seen: seen, by: lane, of: lanes)
    }

    /// Records a connection's end, after which the backlog of a status worker or lane is unknown.
    func noteEnd(of client: Client) {
        if client.rights.isWorker, let lane = statusLane(of: client.clientId) { backlogs.end(lane) }
    }

    /// Returns the number of the status worker's lane with this client id, or nil for other clients.
    ///
    /// If the status worker has no lanes, the number is 0.
    private func statusLane(of clientId: String) -> Int? {
        guard clientId.utf8.starts(with: Self.statusWorker.utf8) else { return nil }
        let lane = clientId.dropFirst(Self.statusWorker.count)
        if lane.isEmpty { return 0 }
        return lane.first == "." ? Int(lane.dropFirst()) : nil
    }
}

/// The count of terminals' requests that wait for one worker.
///
/// A request counts as its size in KiB, rounded up, but at least as 1.
struct RequestBacklog {
    private static let unit = 1_024
    private var backlog: Backlog
    /// The sum of the counts of all requests that were let through.
    ///
    /// `looked` is the value of `sent` when the queue was last read.
    private var sent: Int64 = 0
    private var looked: Int64 = 0

    init(limit: Int) { backlog = Backlog(limit: limit) }

    /// Decides whether a request may pass while other requests wait, and counts the request if it may pass.
    mutating func take(
        _ sender: inout Backlog.Sender,
        bytes: Int,
        waiting: (messages: Int, bytes: Int),
        at now: Int64
    ) -> ShareVerdict {
        if sent > looked {
            looked = sent
            let left = max(waiting.messages, waiting.bytes / Self.unit)
            backlog.note(echo: sent, seen: sent &- Int64(left))
        }
        let units = 1 &+ max(0, bytes &- 1) / Self.unit
        let verdict = backlog.take(&sender, as: units, at: now)
        if case .within = verdict { sent &+= Int64(units) }
        return verdict
    }
}
